<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\SlowLog;

use Headroom\Doctor\Logs\SampleConfidence;
use Headroom\Report\Format;

/**
 * Where requests wait, in one sentence, how sure that is, and what to do next.
 *
 * @internal
 */
final readonly class SlowLogVerdict
{
    /** A purpose that is rarer than this among the waits says nothing about them. */
    private const TELLING = 0.3;

    /**
     * @param int $count traces that wait for it
     * @param int $traces all of them
     * @param ?string $client the library that waits, for Redis
     * @param int $purposes of $count, those with that purpose
     */
    private function __construct(
        public WaitReason $wait,
        public int $count,
        public int $traces,
        public ?string $client,
        public ?WaitPurpose $purpose,
        public int $purposes,
        public SampleConfidence $confidence,
        private bool $isKept,
    ) {}

    /** @return ?self null when there is no trace */
    public static function of(SlowLogSummary $summary): ?self
    {
        [$first, $second] = [...$summary->waits->ranking(2), null, null];

        if ($first === null) {
            return null;
        }

        $wait = WaitReason::from($first->name);
        $purpose = self::mostly($summary, $wait);
        $kept = $summary->waitCalls->count("{$wait->value} pconnect");

        return new self(
            $wait,
            $first->count,
            $summary->traces,
            $summary->clients->ranking(1)[0]->name ?? null,
            $purpose,
            $purpose === null ? 0 : $summary->purposes->count("{$wait->value} {$purpose->value}"),
            SampleConfidence::of($first->count, $second->count ?? 0, $summary->traces),
            $kept > 0 && $kept >= $summary->waitCalls->count("{$wait->value} connect"),
        );
    }

    public function sentence(): string
    {
        $traces = Format::count($this->traces);
        $share = Format::count($this->count)." of {$traces} ".($this->traces === 1 ? 'trace' : 'traces').' ('
            .Format::share($this->count / $this->traces).')';

        if ($this->wait === WaitReason::Php) {
            return "Requests are found in PHP code itself, or in a call that is not known to wait: {$share}.";
        }

        $purpose = match (true) {
            $this->purpose === null => '',
            $this->purposes === $this->count => ", {$this->purpose->words()}",
            default => ', '.Format::count($this->purposes)." of them {$this->purpose->words()}",
        };

        return 'Requests wait for '.$this->wait->words()
            .($this->wait === WaitReason::Redis && $this->client !== null ? " ({$this->client})" : '')
            .": {$share}{$purpose}.";
    }

    public function next(): string
    {
        return Advice::for($this->wait, $this->purpose, $this->isKept);
    }

    private static function mostly(SlowLogSummary $summary, WaitReason $wait): ?WaitPurpose
    {
        [$first, $most] = [null, 0];

        foreach (WaitPurpose::cases() as $purpose) {
            $count = $summary->purposes->count("{$wait->value} {$purpose->value}");
            [$first, $most] = $count > $most ? [$purpose, $count] : [$first, $most];
        }

        return $most >= self::TELLING * $summary->waits->count($wait->value) ? $first : null;
    }
}
