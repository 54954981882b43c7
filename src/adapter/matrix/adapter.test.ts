import { crablineFixture } from "../../../test/support/matrix-room.js";
import { adapterContract } from "../../testing/adapter-contract.js";

adapterContract("Matrix, with crabline's homeserver", crablineFixture);
