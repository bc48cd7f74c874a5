<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

/**
 * One way of breaking a group, with what it costs beyond its new lines.
 *
 * @internal
 */
final readonly class LineBreak
{
    /** Lines of a closure that move to the right with its list. */
    private const MOVED = 2.0;

    public function __construct(
        private Group $group,
        private BreakStyle $style,
        private float $penalty,
        private ?Group $within = null,
    ) {}

    /** Whether the break is of use where a line stays too wide all the same, since it sets things apart. */
    public function helpsWideLines(): bool
    {
        return ! in_array(
            $this->group->kind,
            [GroupKind::ArrowBody, GroupKind::Comparison, GroupKind::Value, GroupKind::Conditions],
            true,
        )
            && ! ($this->group->kind->isBracket() && $this->group->isSingle());
    }

    /** @return array{Layout, float} */
    public function applyTo(Layout $layout): array
    {
        $broken = clone $layout;
        [$lines, $moved] = match ($this->style) {
            BreakStyle::Each => $this->group->kind->isBracket() ? $this->brackets($broken) : $this->each($broken),
            BreakStyle::Packed => $this->packed($broken),
            BreakStyle::Filled => $this->filled($broken),
        };

        return [$broken, $lines + $this->penalty + ($moved > 0 ? self::MOVED : 0)];
    }

    /** @return array{int, int} new lines, and moved ones */
    private function brackets(Layout $layout): array
    {
        $group = $this->group;
        $indent = $layout->indent($group->start);
        $lines = $this->unbroken($layout, [...$group->breaks, $group->end]);
        $moved = $layout->breakAll($group->breaks, $group->end, Layout::deeper($indent));

        if ($this->within !== null) {
            $lines += $this->unbroken($layout, $this->within->breaks);
            $moved += $layout->breakAll($this->within->breaks, $group->end, Layout::deeper($indent));
        }

        $this->close($layout, $indent);

        return [$lines, $moved];
    }

    private function close(Layout $layout, int $indent): void
    {
        $layout->breakBefore($this->group->end, $indent);

        if ($this->group->takesComma) {
            $layout->addComma($this->group->end);
        }

        if ($this->group->brace !== null) {
            $layout->join($this->group->brace);
        }
    }

    /** @return array{int, int} */
    private function each(Layout $layout): array
    {
        $group = $this->group;
        $indent = $group->kind === GroupKind::Conditions
            ? $layout->indent($group->start)
            : Layout::deeper($layout->indent($group->start));
        $lines = $this->unbroken($layout, $group->breaks);

        for ($i = 0; $i < $group->sameStart; $i++) {
            $indent = Layout::deeper($indent);
        }

        return [$lines, $layout->breakAll($group->breaks, $layout->hangingEnd($group->end), $indent)];
    }

    /** @return array{int, int} all items on one line between the brackets, or on as few as they need */
    private function packed(Layout $layout): array
    {
        $indent = $layout->indent($this->group->start);
        $layout->breakBefore($this->group->breaks[0], Layout::deeper($indent));
        $this->close($layout, $indent);

        return [2 + $this->fill($layout, $this->group->breaks, Layout::deeper($indent), $this->group->end - 1), 0];
    }

    /** @return array{int, int} breaks only where a line would be too wide */
    private function filled(Layout $layout): array
    {
        $indent = $layout->indent($this->group->start);
        $isList = $this->group->kind->isBracket();
        $end = $isList ? $this->group->end - 1 : $this->group->end;

        return [$this->fill($layout, $this->group->breaks, Layout::deeper($indent), $end), 0];
    }

    /** @param list<int> $breaks */
    private function fill(Layout $layout, array $breaks, int $indent, int $end): int
    {
        $lines = 0;
        $column = $layout->span($layout->lineStart($breaks[0]), $breaks[0] - 1) + $layout->indent($breaks[0]);
        $isBracket = $this->group->kind->isBracket();

        if ($isBracket) {
            $column = $indent;
        }

        foreach ($breaks as $i => $break) {
            if ($layout->startsLine($break)) {
                $column = $layout->indent($break);
            }

            $last = ($breaks[$i + 1] ?? $end + 1) - 1;
            $isOneLine = $layout->isOneLine($break, $last);
            $width = $layout->span($break, $isOneLine ? $last : min($last, $layout->lineEnd($break)))
                + ($isBracket ? 1 : 0);
            $tail = $i === count($breaks) - 1 && ! $isBracket
                ? $layout->span($end, $layout->lineEnd($end)) - $layout->span($end, $end)
                : 0;

            if (! $layout->startsLine($break) && $column + $width + $tail > LineBreaker::WIDTH && $column > $indent) {
                $layout->breakAll([$break], $layout->hangingEnd($break), $indent);
                $column = $indent;
                $lines++;
            }

            $column = $isOneLine
                ? $column + $width
                : $layout->indent($last) + $layout->span($layout->lineStart($last), $last);
        }

        return $lines;
    }

    /** @param list<int> $positions */
    private function unbroken(Layout $layout, array $positions): int
    {
        return count(array_filter($positions, static fn (int $position): bool => ! $layout->startsLine($position)));
    }
}
