<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

/**
 * The kind of a group of break points, which decides how its lines are laid out.
 *
 * @internal
 */
enum GroupKind
{
    /** Arguments, parameters, match arms and the like: one item a line, between brackets of their own lines. */
    case Items;
    /** An array, which may keep several plain items on a line. */
    case Elements;
    /** Parentheses of `if`, `while`, `switch` and `match`. */
    case Parentheses;
    /** Parentheses around an operand, which stay where they are. */
    case Grouping;
    /** Operators of one precedence: a break before each. */
    case Operators;
    /** `+`, `*`: a break before as few of them as possible. */
    case Arithmetic;
    /** `===`, `<` and the like, at which a line is broken last. */
    case Comparison;
    /** `.`: a break before as few of them as possible. */
    case Concatenation;
    case Coalesce;
    case Ternary;
    case Chain;
    /** The names behind `implements` or `extends`. */
    case Names;
    /** The expression behind `=>` of an arrow function. */
    case ArrowBody;
    /** Conditions of one match arm. */
    case Conditions;
    /** The value behind `=` or `=>`. */
    case Value;

    public function isBracket(): bool
    {
        return in_array($this, [self::Items, self::Elements, self::Parentheses, self::Grouping], true);
    }

    public function isOperator(): bool
    {
        return in_array(
            $this,
            [self::Operators, self::Arithmetic, self::Comparison, self::Concatenation, self::Coalesce, self::Ternary],
            true,
        );
    }
}
