<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

use PhpParser\Node;
use PhpParser\Node\Expr;
use PhpParser\Node\Scalar;

/**
 * Decides how the items of a list may be laid out.
 *
 * @internal
 */
final readonly class Items
{
    /** @param non-empty-list<Node> $items */
    public static function mayPack(array $items): bool
    {
        $large = 0;

        foreach ($items as $item) {
            if ($item instanceof Node\ArrayItem && $item->key !== null) {
                return false;
            }

            $large += self::isLarge(self::value($item)) ? 1 : 0;
        }

        return count($items) > 1 && $large <= 1;
    }

    /** @param non-empty-list<Node> $items */
    public static function mayFill(array $items): bool
    {
        foreach ($items as $item) {
            $isKeyed = $item instanceof Node\ArrayItem && $item->key !== null;
            $value = self::value($item);

            if (
                $isKeyed
                || ! ($value instanceof Scalar
                    || $value instanceof Expr\ConstFetch
                    || $value instanceof Expr\ClassConstFetch
                    || $value instanceof Expr\UnaryMinus)
            ) {
                return false;
            }
        }

        return count($items) > 5;
    }

    /** @param non-empty-list<Node> $items */
    public static function hug(array $items, GroupKind $kind): ?Hug
    {
        $last = $items[count($items) - 1];
        $value = self::value($last);

        if ($value === null || $value->getEndTokenPos() !== $last->getEndTokenPos()) {
            return null;
        }

        $hug = match (true) {
            $value instanceof Expr\Array_,
            $value instanceof Expr\Closure,
            $value instanceof Expr\Match_ => Hug::Literal,
            $value instanceof Expr\ArrowFunction => Hug::Arrow,
            $value instanceof Expr\CallLike => Hug::Call,
            default => null,
        };

        if (count($items) === 1) {
            return $hug;
        }

        $others = array_filter(
            array_slice($items, 0, -1),
            static fn (Node $item): bool => self::isLarge(self::value($item)),
        );

        return $hug === Hug::Literal && $kind === GroupKind::Items && $others === [] ? $hug : null;
    }

    private static function value(Node $item): ?Expr
    {
        return $item instanceof Node\Arg || $item instanceof Node\ArrayItem ? $item->value : null;
    }

    private static function isLarge(?Expr $value): bool
    {
        return $value instanceof Expr\Array_ || $value instanceof Expr\Closure || $value instanceof Expr\ArrowFunction
            || $value instanceof Expr\Match_ || $value instanceof Expr\New_;
    }
}
