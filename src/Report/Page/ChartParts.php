<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * The parts that all charts have: a title, a note, a label for screen readers, and the table of the numbers.
 *
 * @internal
 */
final readonly class ChartParts
{
    /** Shown in place of an empty chart. */
    public const NOTHING = 'Not measured.';

    /** @throws InvalidPage */
    public static function check(string $id, string $title): void
    {
        Assert::id($id);
        Assert::text($title, "title of the chart '{$id}'");
    }

    /**
     * @param list<string> $summary a phrase for each thing that is compared
     * @param array<string, mixed> $drawn what only this kind has
     * @return array<string, mixed>
     */
    public static function array(
        string $kind,
        Chart $chart,
        string $title,
        string $note,
        array $summary,
        Table $numbers,
        array $drawn,
    ): array {
        $sentences = [$title.'.', $note, $summary === [] ? self::NOTHING : implode('; ', $summary).'.'];

        return [
            'kind' => $kind,
            'id' => $chart->id(),
            'title' => $title,
            'note' => $note,
            'label' => implode(' ', array_filter($sentences, static fn (string $sentence): bool => $sentence !== '')),
            'numbers' => $numbers->toArray(),
            ...$drawn,
        ];
    }
}
