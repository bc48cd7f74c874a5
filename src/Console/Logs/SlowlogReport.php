<?php

declare(strict_types=1);

namespace Headroom\Console\Logs;

use Headroom\Doctor\Logs\FrequencyRow;
use Headroom\Doctor\Logs\FrequencyTable;
use Headroom\Doctor\Logs\SampleConfidence;
use Headroom\Doctor\Logs\SlowLog\SlowLogSummary;
use Headroom\Doctor\Logs\SlowLog\SlowLogVerdict;
use Headroom\Doctor\Logs\SlowLog\WaitReason;

/**
 * The output of `logs:slow`.
 *
 * @internal
 */
final readonly class SlowlogReport
{
    private const ROWS = 8;

    private const IN_JSON = 100;

    private ?SlowLogVerdict $verdict;

    public function __construct(private SlowLogSummary $summary, private LogReadResult $result)
    {
        $this->verdict = SlowLogVerdict::of($summary);
    }

    /** @return list<string> */
    public function lines(): array
    {
        $count = TerminalFormatter::summed($this->summary->traces, 'trace').' in '
            .TerminalFormatter::summed($this->result->files, 'file');
        $waits = array_map(
            static fn (FrequencyRow $wait): FrequencyRow
                => new FrequencyRow(WaitReason::from($wait->name)->words(), $wait->count, $wait->share),
            $this->summary->waits->ranking(),
        );

        return [
            ...TerminalFormatter::paragraph(
                $count
                    .($this->summary->span->first === null
                        ? ''
                        : ", from {$this->summary->span->first} to {$this->summary->span->last}")
                    .'.',
            ),
            ...$this->answer(),
            ...TerminalFormatter::notes($this->result),
            ...$this->notes(),
            ...TerminalFormatter::ranking('waiting for', $waits, 'traces'),
            ...$this->top('waiting in the call', $this->summary->calls),
            ...$this->top('innermost frame (function, called from)', $this->summary->innermost),
            ...$this->top('first frame below vendor/', $this->summary->vendors),
            ...$this->top('first frame of the application', $this->summary->applications),
            ...$this->top('pool', $this->summary->pools),
            ...$this->top('script', $this->summary->scripts),
            ...TerminalFormatter::ranking('hour of the day', $this->summary->hours->inOrder(), 'traces'),
            ...TerminalFormatter::unread(
                $this->summary->unread,
                $this->result,
                "a slow log of PHP-FPM (nginx's and FPM's error logs are read by the command logs:error)",
            ),
        ];
    }

    /** @return array<string, mixed> see docs/json-output.md */
    public function document(): array
    {
        $summary = $this->summary;

        return [
            ...$this->result->toArray(),
            'traces' => $summary->traces,
            'first' => $summary->span->first,
            'last' => $summary->span->last,
            'truncated' => $summary->truncated,
            'dump_failed' => $summary->failed,
            'cut_by_depth' => $summary->cut,
            'unread_lines' => $summary->unread->lines(),
            'unread_examples' => $summary->unread->examples(),
            'verdict' => $this->verdict === null ? null : [
                'wait' => $this->verdict->wait->value,
                'traces' => $this->verdict->count,
                'share' => round($this->verdict->count / $this->verdict->traces, 4),
                'client' => $this->verdict->client,
                'purpose' => $this->verdict->purpose?->value,
                'purpose_traces' => $this->verdict->purposes,
                'confidence' => $this->verdict->confidence->value,
                'sentence' => $this->verdict->sentence(),
                'next' => $this->verdict->next(),
            ],
            'waits' => $this->rows($summary->waits),
            'calls' => $this->rows($summary->calls),
            'innermost' => $this->rows($summary->innermost),
            'vendor' => $this->rows($summary->vendors),
            'application' => $this->rows($summary->applications),
            'pools' => $this->rows($summary->pools),
            'scripts' => $this->rows($summary->scripts),
            'hours' => $this->rows($summary->hours),
        ];
    }

    /**
     * @param list<FrequencyRow> $ranked
     * @return list<array{name: string, count: int, share: float}>
     */
    public static function inJson(array $ranked): array
    {
        return array_map(
            static fn (FrequencyRow $one): array
                => ['name' => $one->name, 'count' => $one->count, 'share' => round($one->share, 4)],
            $ranked,
        );
    }

    /** @return list<string> */
    private function answer(): array
    {
        if ($this->verdict === null) {
            return [];
        }

        return [
            '',
            ...TerminalFormatter::paragraph($this->verdict->sentence()),
            '',
            ...TerminalFormatter::paragraph('How sure: '.$this->verdict->confidence->words($this->verdict->traces)),
            ...($this->verdict->confidence === SampleConfidence::Hint
                ? TerminalFormatter::paragraph(
                    'Each trace shows one request at the moment when it exceeded request_slowlog_timeout: what it'
                        .' waited '
                        .'for then, and nothing before or after.',
                )
                : []),
            '',
            ...TerminalFormatter::paragraph('To do: '.$this->verdict->next()),
        ];
    }

    /** @return list<string> */
    private function notes(): array
    {
        $notes = [];

        if ($this->summary->cut > 0) {
            $notes[] = TerminalFormatter::summed($this->summary->cut, 'trace')
                .($this->summary->cut === 1 ? ' is' : ' are')
                ." cut off by FPM after {$this->summary->depth} frames, so frames of the application may be missing:"
                .' set '
                .'request_slowlog_trace_depth = 60.';
        }

        if ($this->summary->failed > 0) {
            $notes[] = TerminalFormatter::summed($this->summary->failed, 'trace')
                .' could not be written by FPM ("+++ dump failed") and '.($this->summary->failed === 1 ? 'is' : 'are')
                .' not counted: the child had ended, or ptrace is not permitted (the error log says which).';
        }

        if ($this->summary->truncated > 0) {
            $notes[] = TerminalFormatter::summed($this->summary->truncated, 'trace')
                .($this->summary->truncated === 1 ? ' has' : ' have')
                .' no end, because a file is cut off or still being written, and '
                .($this->summary->truncated === 1 ? 'is' : 'are').' not counted.';
        }

        return array_merge(...array_map(
            static fn (string $note): array => ['', ...TerminalFormatter::paragraph($note)],
            $notes,
        ));
    }

    /** @return list<string> */
    private function top(string $heading, FrequencyTable $tally): array
    {
        return TerminalFormatter::ranking($heading, $tally->ranking(self::ROWS, $this->summary->traces), 'traces');
    }

    /** @return list<array{name: string, count: int, share: float}> */
    private function rows(FrequencyTable $tally): array
    {
        return self::inJson($tally->ranking(self::IN_JSON, $this->summary->traces));
    }
}
