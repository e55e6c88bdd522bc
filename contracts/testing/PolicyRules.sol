// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

import {IVerifyConsumer} from "../interfaces/IVerifyConsumer.sol";

/// @notice What a provider says of an account, such as `("followers", "1200")`: the value is written as a condition
/// writes it.
struct Trait {
    string name;
    string value;
}

/// @title PolicyRules
/// @notice What the signer service says of a policy, and of traits that shall meet it; for tests, see {TestIdentity}.
/// @dev In step with the service: a test compares the two, sentence by sentence.
library PolicyRules {
    using Strings for string;
    using Strings for uint256;

    struct CatalogueEntry {
        string name;
        /// `int`, `bool` or `string`.
        string kind;
    }

    uint256 private constant MAX_CONDITIONS = 32;
    uint256 private constant MAX_STRING_BYTES = 256;

    /// @notice Says in one sentence what is wrong with a policy; empty when it can be served.
    function findPolicyProblem(
        string memory provider,
        IVerifyConsumer.Condition[] memory conditions
    ) internal pure returns (string memory) {
        string memory problem = _findTextProblem(provider);
        if (_isEmpty(problem) && conditions.length > MAX_CONDITIONS) {
            return
                string.concat("The policy has ", conditions.length.toString(), " conditions; at most 32 are served.");
        }
        for (uint256 i = 0; i < conditions.length && _isEmpty(problem); ++i) {
            problem = _findTextProblem(conditions[i].name);
            if (_isEmpty(problem)) problem = _findTextProblem(conditions[i].op);
            if (_isEmpty(problem)) problem = _findTextProblem(conditions[i].value);
        }
        if (!_isEmpty(problem)) return problem;
        if (conditions.length == 0) return "The policy has no condition; it needs at least one.";

        CatalogueEntry[] memory entries = catalogue(provider);
        if (entries.length == 0) {
            string memory known = "; known are microblog, exchange, photo_social, short_video.";
            return string.concat("Unknown provider ", _quote(provider), known);
        }
        for (uint256 i = 0; i < conditions.length && _isEmpty(problem); ++i) {
            problem = _findConditionProblem(provider, entries, conditions[i]);
        }
        return problem;
    }

    /// @notice Says in one sentence what is wrong with the traits of an account at a provider; empty when nothing is.
    function findTraitsProblem(string memory provider, Trait[] memory traits) internal pure returns (string memory) {
        CatalogueEntry[] memory entries = catalogue(provider);
        for (uint256 i = 0; i < traits.length; ++i) {
            Trait memory trait = traits[i];
            string memory kind = _kindOf(entries, trait.name);
            if (_isEmpty(kind)) return _sayUnknown(provider, " has no trait ", trait.name, entries);
            if (!_isValue(kind, trait.value)) {
                string memory wanted = kind.equal("int") ? "an integer" : "true or false";
                return string.concat("Trait ", trait.name, " must be ", wanted, ", got ", _quote(trait.value), ".");
            }
        }
        return "";
    }

    /// @notice The first condition that the traits do not meet, such as `followers gt 1000`; empty when all hold. A trait
    /// that is missing fails.
    /// @param conditions Those of a policy in which {findPolicyProblem} finds nothing.
    /// @param traits Such in which {findTraitsProblem} finds nothing.
    function findUnmetCondition(
        string memory provider,
        IVerifyConsumer.Condition[] memory conditions,
        Trait[] memory traits
    ) internal pure returns (string memory) {
        CatalogueEntry[] memory entries = catalogue(provider);
        for (uint256 i = 0; i < conditions.length; ++i) {
            IVerifyConsumer.Condition memory condition = conditions[i];
            bool isInteger = _kindOf(entries, condition.name).equal("int");
            bool met = false;
            for (uint256 j = 0; j < traits.length && !met; ++j) {
                met = traits[j].name.equal(condition.name) && _holds(isInteger, traits[j].value, condition);
            }
            if (!met) return string.concat(condition.name, " ", condition.op, " ", condition.value);
        }
        return "";
    }

    /// @notice What may be asked of an account at a provider; nothing where it is unknown.
    function catalogue(string memory provider) internal pure returns (CatalogueEntry[] memory entries) {
        if (provider.equal("microblog")) {
            entries = new CatalogueEntry[](3);
            entries[0] = CatalogueEntry("followers", "int");
            entries[1] = CatalogueEntry("verified", "bool");
            entries[2] = CatalogueEntry("verified_type", "string");
        } else if (provider.equal("exchange")) {
            entries = new CatalogueEntry[](2);
            entries[0] = CatalogueEntry("exchange_membership_active", "bool");
            entries[1] = CatalogueEntry("exchange_membership_billed", "bool");
        } else if (provider.equal("photo_social")) {
            entries = new CatalogueEntry[](2);
            entries[0] = CatalogueEntry("followers_count", "int");
            entries[1] = CatalogueEntry("username", "string");
        } else if (provider.equal("short_video")) {
            entries = new CatalogueEntry[](4);
            entries[0] = CatalogueEntry("follower_count", "int");
            entries[1] = CatalogueEntry("following_count", "int");
            entries[2] = CatalogueEntry("likes_count", "int");
            entries[3] = CatalogueEntry("video_count", "int");
        }
    }

    function _findTextProblem(string memory text) private pure returns (string memory) {
        uint256 length = bytes(text).length;
        if (length > MAX_STRING_BYTES) {
            return string.concat("The policy has a string of ", length.toString(), " bytes; at most 256 are served.");
        }
        return _isUtf8(bytes(text)) ? "" : "The policy has a string that is not UTF-8.";
    }

    function _findConditionProblem(
        string memory provider,
        CatalogueEntry[] memory entries,
        IVerifyConsumer.Condition memory condition
    ) private pure returns (string memory) {
        string memory name = condition.name;
        string memory kind = _kindOf(entries, name);
        if (_isEmpty(kind)) return _sayUnknown(provider, " has no condition ", name, entries);

        bool isInteger = kind.equal("int");
        if (!condition.op.equal("eq") && !(isInteger && _isOrder(condition.op))) {
            string memory taken = isInteger ? "; it takes eq, gt, gte, lt, lte." : "; it takes eq.";
            return string.concat("Condition ", name, " does not take the operator ", _quote(condition.op), taken);
        }
        if (!_isValue(kind, condition.value)) {
            string memory wanted = isInteger ? "a decimal integer without leading zeros" : "true or false";
            string memory got = string.concat(" as its value, not ", _quote(condition.value), ".");
            return string.concat("Condition ", name, " needs ", wanted, got);
        }
        return "";
    }

    function _sayUnknown(
        string memory provider,
        string memory has,
        string memory name,
        CatalogueEntry[] memory entries
    ) private pure returns (string memory sentence) {
        sentence = string.concat("Provider ", provider, has, _quote(name), "; it has ");
        for (uint256 i = 0; i < entries.length; ++i) {
            sentence = string.concat(sentence, i == 0 ? "" : ", ", entries[i].name);
        }
        return string.concat(sentence, ".");
    }

    function _kindOf(CatalogueEntry[] memory entries, string memory name) private pure returns (string memory) {
        for (uint256 i = 0; i < entries.length; ++i) {
            if (entries[i].name.equal(name)) return entries[i].kind;
        }
        return "";
    }

    function _isOrder(string memory op) private pure returns (bool) {
        return op.equal("gt") || op.equal("gte") || op.equal("lt") || op.equal("lte");
    }

    function _holds(
        bool isInteger,
        string memory trait,
        IVerifyConsumer.Condition memory condition
    ) private pure returns (bool) {
        string memory op = condition.op;
        if (op.equal("eq")) return trait.equal(condition.value);
        if (!isInteger) return false;
        int256 order = _compare(bytes(trait), bytes(condition.value));
        if (op.equal("gt")) return order > 0;
        if (op.equal("gte")) return order >= 0;
        if (op.equal("lt")) return order < 0;
        return order <= 0;
    }

    /// @dev Canonical decimal integers of any size: below 0, 0 or above 0 as the left one is smaller, equal or larger.
    function _compare(bytes memory left, bytes memory right) private pure returns (int256) {
        bool negative = left[0] == "-";
        if (negative != (right[0] == "-")) return negative ? int256(-1) : int256(1);
        int256 larger = negative ? int256(-1) : int256(1);
        if (left.length != right.length) return left.length > right.length ? larger : -larger;
        for (uint256 i = 0; i < left.length; ++i) {
            if (left[i] != right[i]) return left[i] > right[i] ? larger : -larger;
        }
        return 0;
    }

    function _isValue(string memory kind, string memory text) private pure returns (bool) {
        if (kind.equal("int")) return _isInteger(bytes(text));
        return kind.equal("string") || text.equal("true") || text.equal("false");
    }

    /// @dev In canonical form: neither leading zeros nor `-0`, and no `+`.
    function _isInteger(bytes memory text) private pure returns (bool) {
        uint256 start = text.length > 0 && text[0] == "-" ? 1 : 0;
        if (text.length == start) return false;
        if (text[start] == "0") return text.length == 1;
        for (uint256 i = start; i < text.length; ++i) {
            if (text[i] < "0" || text[i] > "9") return false;
        }
        return true;
    }

    /// @dev As RFC 3629, section 4, has it: no overlong forms, surrogates or code points above U+10FFFF.
    function _isUtf8(bytes memory text) private pure returns (bool) {
        uint256 i = 0;
        while (i < text.length) {
            uint8 first = uint8(text[i]);
            ++i;
            if (first < 0x80) continue;
            if (first < 0xc2 || first > 0xf4) return false;
            uint8 least =
                first == 0xe0
                    ? 0xa0
                    : first == 0xf0
                        ? 0x90
                        : 0x80;
            uint8 most =
                first == 0xed
                    ? 0x9f
                    : first == 0xf4
                        ? 0x8f
                        : 0xbf;
            for (
                uint256 more =
                    first < 0xe0
                        ? 1
                        : first < 0xf0
                            ? 2
                            : 3;
                more > 0;
                --more
            ) {
                if (i == text.length || uint8(text[i]) < least || uint8(text[i]) > most) return false;
                (least, most) = (0x80, 0xbf);
                ++i;
            }
        }
        return true;
    }

    function _quote(string memory text) private pure returns (string memory) {
        return string.concat("\x22", text, "\x22");
    }

    function _isEmpty(string memory text) private pure returns (bool) {
        return bytes(text).length == 0;
    }
}
