import { telegramFixture } from "../../../test/support/telegram-fixture.js";
import { adapterContract } from "../../testing/adapter-contract.js";

adapterContract("telegram", () => telegramFixture());
adapterContract("telegram by webhook", () => telegramFixture({ webhook: true }));
