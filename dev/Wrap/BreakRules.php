<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

/**
 * Which breaks of a group a reader accepts on a line, given what is around the group on that line.
 *
 * @internal
 */
final class BreakRules
{
    /** @var array<int, list<Group>> what is around a group, inner groups first, by the group's object id */
    private array $around = [];

    /** @var array<int, Group> operators by the parentheses that have nothing but them in them */
    private array $within = [];

    /** @var array<int, true> tokens that an array starts with */
    private array $arrays = [];

    /** @param list<Group> $groups */
    public function __construct(array $groups)
    {
        $open = [];
        foreach ($groups as $group) {
            if ($group->kind === GroupKind::Elements) {
                $this->arrays[$group->start] = true;
            }
        }

        usort($groups, static fn (Group $a, Group $b): int => [$a->start, -$a->end] <=> [$b->start, -$b->end]);

        foreach ($groups as $group) {
            while ($open !== [] && $open[count($open) - 1]->end < $group->start) {
                array_pop($open);
            }

            $open = array_values(array_filter($open, static fn (Group $outer): bool => $outer->end >= $group->start));
            $around = array_values(array_filter($open, static fn (Group $outer): bool => $outer->contains($group)));
            $this->around[spl_object_id($group)] = array_reverse($around);
            $open[] = $group;

            foreach (array_slice($around, -1) as $outer) {
                if ($outer->kind === GroupKind::Parentheses && $group->kind->isOperator()
                    && $outer->breaks === [$group->start] && ! isset($this->within[spl_object_id($outer)])) {
                    $this->within[spl_object_id($outer)] = $group;
                }
            }
        }
    }

    /** @return list<LineBreak> */
    public function breaks(Layout $layout, Group $group, int $start, int $end): array
    {
        $around = $this->penaltyAround($layout, $group, $start, $end);

        if ($around === null || $this->isElementThatStartsWithArray($group)) {
            return [];
        }

        $isOpen = $layout->startsLine($group->breaks[0]);
        $break = fn (BreakStyle $style, float $penalty): LineBreak => new LineBreak(
            $group,
            $style,
            $around + $penalty,
            $this->within[spl_object_id($group)] ?? null,
        );

        return match ($group->kind) {
            GroupKind::Elements => $this->elements($layout, $group, $isOpen, $break),
            GroupKind::Items => [$break(BreakStyle::Each, $group->isSingle() ? 3.6 : 0.0)],
            GroupKind::Parentheses => [$break(
                BreakStyle::Each,
                isset($this->within[spl_object_id($group)]) ? 0.5 : 1.5,
            )],
            GroupKind::Concatenation, GroupKind::Arithmetic => [$break(BreakStyle::Filled, 1.0)],
            GroupKind::Operators, GroupKind::Coalesce, GroupKind::Ternary => [$break(BreakStyle::Each, 0.5)],
            GroupKind::Chain => [self::isPartlyBroken($layout, $group)
                ? $break(BreakStyle::Filled, 0.0)
                : $break(BreakStyle::Each, $group->isSingle() ? 1.0 : 0.0)],
            GroupKind::Comparison => [$break(BreakStyle::Each, 2.0)],
            GroupKind::Grouping => [],
            GroupKind::Conditions => [$break(BreakStyle::Each, 2.0)],
            GroupKind::Names => [$break(BreakStyle::Each, 0.0)],
            GroupKind::ArrowBody => [$break(BreakStyle::Each, 1.5)],
            GroupKind::Value => [$break(BreakStyle::Each, 4.0)],
        };
    }

    /**
     * @param callable(BreakStyle, float): LineBreak $break
     * @return list<LineBreak>
     */
    private function elements(Layout $layout, Group $group, bool $isOpen, callable $break): array
    {
        if ($isOpen) {
            return [$break(BreakStyle::Filled, 0.0)];
        }

        $breaks = [$break(BreakStyle::Each, $group->isSingle() ? 3.0 : 0.0)];

        if ($group->packs || $group->fills) {
            $isOneLine = $layout->isOneLine($group->start, $group->end);
            $width = Layout::deeper($layout->indent($group->start))
                + $layout->span($group->breaks[0], $group->end - 1)
                + 1;

            if ($isOneLine && ($group->fills || $width <= LineBreaker::WIDTH)) {
                $breaks[] = $break(BreakStyle::Packed, 0.5);
            }
        }

        return $breaks;
    }

    /** Pint moves the second line of such an item to where the first one starts. */
    private function isElementThatStartsWithArray(Group $group): bool
    {
        if (! $group->kind->isOperator()) {
            return false;
        }

        foreach ($this->around[spl_object_id($group)] as $outer) {
            if ($outer->kind === GroupKind::Elements) {
                return isset($this->arrays[$group->start]);
            }

            if ($outer->kind->isBracket()) {
                return false;
            }
        }

        return false;
    }

    /**
     * Returns the penalty from the enclosing groups; null if one of them must be broken before this break is allowed.
     */
    private function penaltyAround(Layout $layout, Group $group, int $start, int $end): ?float
    {
        $penalty = 0.0;
        $inner = $group;

        foreach ($this->around[spl_object_id($group)] as $outer) {
            if (! $this->isUnbroken($layout, $outer, $start, $end)) {
                if ($outer->kind->isBracket() && self::isBehindAnother($layout, $outer, $group, $start)) {
                    return null;
                }

                $inner = $outer->kind->isBracket() ? $outer : $inner;

                continue;
            }

            $more = match (true) {
                $outer->kind === GroupKind::Parentheses => $group->kind->isBracket() ? 2.0 : null,
                $outer->kind === GroupKind::Grouping => self::inGrouping($outer, $group),
                $outer->kind->isBracket() => $group->kind->isBracket() ? $this->hugging($outer, $inner) : null,
                $outer->kind === GroupKind::Comparison,
                $outer->kind === GroupKind::Coalesce => $group->kind->isBracket() ? 1.0 : null,
                $outer->kind->isOperator() => $group->kind->isBracket() ? 3.5 : null,
                $outer->kind === GroupKind::Conditions => $group->kind->isBracket() ? 2.5 : null,
                $outer->kind === GroupKind::Chain => $group->kind->isBracket()
                    ? self::inChain($layout, $outer, $group)
                    : null,
                default => 0.0,
            };

            if ($more === null) {
                return null;
            }

            $penalty += $more;
            $inner = $outer->kind->isBracket() ? $outer : $inner;
        }

        return $penalty;
    }

    private function isUnbroken(Layout $layout, Group $outer, int $start, int $end): bool
    {
        if ($outer->kind->isBracket()) {
            return $outer->start >= $start && ! $layout->startsLine($outer->breaks[0]);
        }

        foreach ($outer->breaks as $break) {
            if ($break > $start && $break <= $end && ! $layout->startsLine($break)) {
                return true;
            }
        }

        return false;
    }

    /** Whether the group is in an item that stands behind another one, or behind a bracket that closes on the line. */
    private static function isBehindAnother(Layout $layout, Group $list, Group $group, int $start): bool
    {
        $items = array_filter($list->breaks, static fn (int $break): bool => $break <= $group->start);
        $item = $items === [] ? $list->start : max($items);
        $isInTail = $list->start < $start
            && ! $layout->startsLine($list->breaks[0])
            && $layout->startsWithClosing($start);

        return $item > $start && ! $layout->startsLine($item) || $isInTail && ! $group->kind->isBracket();
    }

    private function hugging(Group $outer, Group $inner): ?float
    {
        $isInLast = $inner->start >= $outer->lastBreak();

        return match ($outer->hug) {
            Hug::Literal => $isInLast ? 0.5 : null,
            Hug::Arrow => $isInLast ? 1.0 : null,
            Hug::Call => $isInLast && $inner->end + 1 >= $outer->end - 1 ? 0.5 : null,
            null => null,
        };
    }

    private static function isPartlyBroken(Layout $layout, Group $group): bool
    {
        return array_filter($group->breaks, $layout->startsLine(...)) !== [];
    }

    private static function inGrouping(Group $outer, Group $group): ?float
    {
        $isAll = $group->start === $outer->breaks[0] && $group->end + 1 === $outer->end;

        return $group->kind->isBracket() || ($group->kind->isOperator() && $isAll) ? 1.0 : null;
    }

    private static function inChain(Layout $layout, Group $chain, Group $group): ?float
    {
        return match (true) {
            // Such a chain has several links on a line, and gets more lines first.
            self::isPartlyBroken($layout, $chain) => null,
            $chain->isSingle() => $chain->end === $group->end ? 0.5 : 1.0,
            $chain->end !== $group->end => 2.5,
            default => 2.0,
        };
    }
}
