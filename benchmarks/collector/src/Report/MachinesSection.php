<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

use Headroom\Report\Page\Block;
use Headroom\Report\Page\Facts;
use Headroom\Report\Page\Paragraph;
use Headroom\Report\Page\Section;
use Headroom\Report\Page\Table;

/**
 * Where, when and of which commit each part was measured: parts of the same machine together.
 */
final readonly class MachinesSection
{
    public function __construct(private ResultsFile $results) {}

    public function section(): Section
    {
        $machines = [];

        foreach ($this->results->measured() as $part) {
            $machines[json_encode(
                [self::facts($part), self::settings($part)],
                JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE,
            )][] = $part;
        }

        $blocks = array_merge(...array_map(self::machine(...), array_values($machines)));

        return new Section(
            'machines',
            'Machine, commit and date of each part',
            $blocks === [] ? [new Paragraph('No part was measured.')] : $blocks,
        );
    }

    /**
     * @param non-empty-list<MeasuredPart> $parts
     * @return list<Block>
     */
    private static function machine(array $parts): array
    {
        return [
            new Facts(self::facts($parts[0]), isSmall: true),
            Paragraph::note("Of the client's PHP: ".(self::settings($parts[0]) ?: 'no settings are known').'.'),
            new Table(
                ['part', 'commit', 'date'],
                array_map(
                    static fn (MeasuredPart $part): array
                        => [$part->name, $part->machine('commit'), $part->machine('date')],
                    $parts,
                ),
            ),
        ];
    }

    /** @return list<array{string, string}> */
    private static function facts(MeasuredPart $part): array
    {
        $memory = $part->machine('memory_mb');

        return [
            ['CPU', $part->machine('cpu')],
            ['cores', $part->machine('cores')],
            ['memory', (is_numeric($memory) ? number_format((float) $memory) : $memory).' MB'],
            ['kernel', $part->machine('kernel')],
            ['PHP', $part->machine('php')],
        ];
    }

    private static function settings(MeasuredPart $part): string
    {
        $ini = array_filter($part->settings(), static fn (string $value): bool => $value !== '');

        return implode(
            ', ',
            array_map(static fn (string $key, string $value): string => "{$key} = {$value}", array_keys($ini), $ini),
        );
    }
}
