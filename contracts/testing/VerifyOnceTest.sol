// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Foundry and Hardhat run functions whose name begins with "test".
// solhint-disable func-name-mixedcase

import {TestIdentity} from "./TestIdentity.sol";
import {VerifyConsumerTest} from "./VerifyConsumerTest.sol";

/// @title VerifyOnceTest
/// @notice Tests of a consumer that you inherit, in Hardhat or Foundry: it must refuse every invalid verification, and count
/// each person once. Write `setUp()`, `consumer()` and `claim()`:
/// ```solidity
/// contract AirdropTest is VerifyOnceTest {
///     Airdrop private airdrop;
///
///     function setUp() public {
///         airdrop = new Airdrop(address(TestIdentity.deployRegistry()));
///     }
///
///     function consumer() internal view override returns (address) {
///         return address(airdrop);
///     }
///
///     function claim(TestIdentity.Verification memory v, address) internal override {
///         airdrop.claim(v.identityHash, v.expiration, v.signature);
///     }
/// }
/// ```
/// @dev See {VerifyConsumerTest}.
abstract contract VerifyOnceTest is VerifyConsumerTest {
    /// @dev The first words of a call's arguments, and for each the changes that are tried.
    uint256 private constant WORDS = 24;
    uint256 private constant CHANGES = 7;

    /// @dev Returns how often a person may claim with arguments of their choice: once in each of so many rounds.
    function rounds() internal view virtual returns (uint256) {
        return 1;
    }

    function test_claim_RefusesASecondClaim() public virtual {
        TestIdentity.Verification memory first = mint(phone, "alice");
        _admit(first, phone);
        expectNoClaim("the same verification again", first, phone);
        TestIdentity.Verification memory second = TestIdentity.mint(consumer(), phone, "alice", first.expiration + 1);
        _expectUsed("a second claim", second, phone, laptop);
    }

    function test_claim_RefusesASecondWallet() public virtual {
        _admit(mint(phone, "alice"), phone);
        _expectUsed("a second wallet of the same person", mint(laptop, "alice"), laptop, laptop);
    }

    function test_claim_RefusesASecondWalletAfterAContract() public virtual {
        address safe = TestIdentity.wallet(3);
        // Answers a call with its selector, as a receiver of tokens must.
        CHEATS.etch(safe, hex"60003563ffffffff60e01b1660005260206000f3");
        _admit(mint(safe, "alice"), safe);
        _expectUsed("a person who has claimed from a contract", mint(laptop, "alice"), laptop, laptop);
    }

    function test_claim_RefusesThePersonAYearLater() public virtual {
        _admit(mint(phone, "alice"), phone);
        CHEATS.warp(CHEATS.getBlockTimestamp() + 365 days);
        _expectUsed("the same person a year later", mint(laptop, "alice"), laptop, laptop);
    }

    function test_claim_RefusesThePersonWhateverArgumentsTheyChoose() public virtual {
        _admit(mint(phone, "alice"), phone);
        TestIdentity.Verification memory again = mint(laptop, "alice");
        TestIdentity.Verification memory other = mint(laptop, "bob");
        address original = TestIdentity.wallet(4);
        CHEATS.etch(original, consumer().code);
        uint256 times = 1;
        for (uint256 word = 0; word < WORDS; ++word) {
            for (uint256 change = 0; change < CHANGES; ++change) {
                uint256 before = CHEATS.snapshotState();
                bool control = _tryChanged(other, original, word, change);
                CHEATS.revertToState(before);
                if (control && _tryChanged(again, original, word, change)) ++times;
                if (times > rounds()) _failByArgument(times, word);
            }
        }
    }

    function _admit(TestIdentity.Verification memory v, address user) private {
        (bool admitted, bytes memory refusal) = tryClaim(v, user);
        if (!admitted) revert(string.concat("Not tried: the first claim is refused: ", CHEATS.toString(refusal)));
    }

    /// @dev Fails unless a person who has been counted is refused, and somebody else is admitted in the same state.
    function _expectUsed(
        string memory what,
        TestIdentity.Verification memory v,
        address user,
        address otherUser
    ) private {
        expectRefusal(what, v, user, mint(otherUser, string.concat("not ", what)), otherUser);
    }

    /// @dev Claims with a word of the call's arguments changed on its way to the consumer.
    function _tryChanged(
        TestIdentity.Verification memory v,
        address original,
        uint256 word,
        uint256 change
    ) private returns (bool admitted) {
        CallChanger changer = new CallChanger(original, v.identityHash, word, change);
        CHEATS.etch(consumer(), address(changer).code);
        (admitted, ) = tryClaim(v, laptop);
    }

    function _failByArgument(uint256 times, uint256 word) private pure {
        string memory which = string.concat("word ", CHEATS.toString(word), " of the call's arguments");
        string memory how = string.concat(CHEATS.toString(times), " times if they change ", which);
        revert(string.concat("The consumer admits one person ", how, ". See rounds()."));
    }
}

/// @dev Its code stands at the consumer's address, and passes calls on to the consumer's code. In each call that has the
/// verification, it changes one word of the arguments.
contract CallChanger {
    address private immutable _original;
    bytes32 private immutable _identityHash;
    uint256 private immutable _position;
    uint256 private immutable _change;

    constructor(address original, bytes32 identityHash, uint256 word, uint256 change) {
        (_original, _identityHash, _position, _change) = (original, identityHash, 4 + 32 * word, change);
    }

    fallback() external payable {
        bytes memory data = msg.data;
        if (_position + 32 <= data.length && _hasVerification()) _changeWord(data);
        (bool success, bytes memory answer) = _original.delegatecall(data);
        assembly ("memory-safe") {
            switch success
            case 0 {
                revert(add(answer, 0x20), mload(answer))
            }
            default {
                return(add(answer, 0x20), mload(answer))
            }
        }
    }

    function _hasVerification() private view returns (bool) {
        for (uint256 i = 4; i + 32 <= msg.data.length; i += 32) {
            if (bytes32(msg.data[i:i + 32]) == _identityHash) return true;
        }
        return false;
    }

    function _changeWord(bytes memory data) private view {
        uint256 position = _position + 32;
        uint256 word;
        assembly ("memory-safe") {
            word := mload(add(data, position))
        }
        // A neighbor, another first byte, which is what texts and bytes begin with, or a small number.
        unchecked {
            if (_change == 0) ++word;
            else if (_change == 1) --word;
            else if (_change == 2) word ^= 1 << 248;
            else word = _change - 3;
        }
        assembly ("memory-safe") {
            mstore(add(data, position), word)
        }
    }
}
