<?php

declare(strict_types=1);

namespace Headroom\Console\Logs;

use Headroom\Doctor\Logs\ErrorLog\ErrorLogSummary;
use Headroom\Doctor\Logs\ErrorLog\KindSummary;
use Headroom\Doctor\Logs\FrequencyRow;
use Headroom\Doctor\Logs\FrequencyTable;
use Headroom\Report\Format;
use Headroom\Report\TextTable;
use Headroom\Support\TerminalText;

/**
 * The output of `logs:error`.
 *
 * @internal
 */
final readonly class ErrorlogReport
{
    private const EXPLAINED = 8;

    private const NAMED = 3;

    private const IN_JSON = 100;

    public function __construct(private ErrorLogSummary $summary, private LogReadResult $result) {}

    /** @return list<string> */
    public function lines(): array
    {
        $kinds = $this->summary->ranking();
        $span = $this->summary->span();
        $table = TextTable::of(['kind', 'count', 'first', 'last']);

        foreach ($kinds as $kind) {
            $table = $table->with(
                "  {$kind->kind->code()}",
                Format::count($kind->count),
                self::minute($kind->span->first),
                self::minute($kind->span->last),
            );
        }

        $serious = array_values(array_filter(
            $kinds,
            static fn (KindSummary $kind): bool => $kind->kind->next() !== '',
        ));

        return [
            ...TerminalFormatter::paragraph(
                ($this->summary->entries() === 1 ? '1 entry' : Format::count($this->summary->entries()).' entries')
                    .' in '.TerminalFormatter::summed($this->result->files, 'file')
                    .($span->first === null ? '' : ", from {$span->first} to {$span->last}").'.',
            ),
            ...$this->answer($serious),
            ...TerminalFormatter::notes($this->result),
            ...($table->isEmpty() ? [] : ['', ...$table->lines()]),
            ...array_merge(...array_map($this->explained(...), array_slice($serious, 0, self::EXPLAINED))),
            ...$this->access(),
            ...TerminalFormatter::unread(
                $this->summary->unread,
                $this->result,
                "an error log of nginx or PHP-FPM (FPM's slow log is read by the command logs:slow)",
            ),
        ];
    }

    /** @return array<string, mixed> see docs/json-output.md */
    public function document(): array
    {
        $span = $this->summary->span();

        return [
            ...$this->result->toArray(),
            'entries' => $this->summary->entries(),
            'first' => $span->first,
            'last' => $span->last,
            'continued_lines' => $this->summary->continued,
            'access_lines' => $this->summary->accessLines,
            'unread_lines' => $this->summary->unread->lines(),
            'unread_examples' => $this->summary->unread->examples(),
            'kinds' => array_map(static fn (KindSummary $kind): array => [
                'kind' => $kind->kind->code(),
                'count' => $kind->count,
                'first' => $kind->span->first,
                'last' => $kind->span->last,
                'levels' => array_map(
                    static fn (string $level, int $count): array => ['name' => $level, 'count' => $count],
                    array_keys($kind->levels),
                    array_values($kind->levels),
                ),
                'meaning' => $kind->kind->meaning(),
                'next' => $kind->kind->next(),
                'upstreams' => SlowlogReport::inJson($kind->upstreams->ranking(self::IN_JSON)),
                'places' => SlowlogReport::inJson($kind->places->ranking(self::IN_JSON)),
                'details' => SlowlogReport::inJson($kind->details->ranking(self::IN_JSON)),
                'uris' => SlowlogReport::inJson($kind->uris->ranking(self::IN_JSON)),
            ], $this->summary->ranking()),
        ];
    }

    /**
     * @param list<KindSummary> $serious
     * @return list<string>
     */
    private function answer(array $serious): array
    {
        $entries = $this->summary->entries();
        $first = $serious[0] ?? null;

        return match (true) {
            $first !== null => [
                '',
                ...TerminalFormatter::paragraph(
                    'Most frequent: '.$first->kind->meaning().' '.Format::count($first->count).' of '
                        .($entries === 1 ? '1 entry.' : Format::count($entries).' entries.'),
                ),
            ],
            $entries > 0 && ! $this->result->isPartial() => ['', 'No entry needs an action.'],
            default => [],
        };
    }

    /** @return list<string> */
    private function access(): array
    {
        $count = $this->summary->accessLines;

        return $count === 0
            ? []
            : [
                '',
                TerminalFormatter::summed($count, 'line').' of an access log '.($count === 1 ? 'is' : 'are')
                    .' not counted.',
            ];
    }

    /** @return list<string> */
    private function explained(KindSummary $kind): array
    {
        return [
            '',
            $kind->kind->code().': '.Format::count($kind->count),
            ...TerminalFormatter::paragraph($kind->kind->meaning(), '  '),
            ...TerminalFormatter::paragraph("Next: {$kind->kind->next()}", '  '),
            ...$this->named('named', $kind->details),
            ...$this->named('upstream', $kind->upstreams),
            ...$this->named('at', $kind->places),
            ...$this->named('most', $kind->uris),
        ];
    }

    private static function minute(?string $time): string
    {
        return substr((string) $time, 0, 16);
    }

    /** @return list<string> */
    private function named(string $what, FrequencyTable $tally): array
    {
        return array_map(
            static fn (FrequencyRow $one): string => "  {$what}: ".TerminalText::name($one->name, 55).' ('
                .Format::count($one->count).')',
            $tally->ranking(self::NAMED),
        );
    }
}
