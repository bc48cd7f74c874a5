<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

use Closure;
use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Report;
use Headroom\Doctor\Severity;
use Headroom\Doctor\Status;
use Headroom\Doctor\UnderLoad\Profile\CpuProfile;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;

/**
 * Names what slows requests in one recording: the strongest cause, the other causes, and the advice.
 *
 * @internal
 */
final readonly class LoadDiagnosis
{
    /**
     * @param list<Cause> $others the other causes that the recording supports, the strongest first
     * @param ?Closure(string): string $render returns a text with its commands as a user types them
     */
    private function __construct(
        public Recording $recording,
        public Cause $cause,
        public array $others,
        public float $secondsToCause,
        private CpuProfile|MissingData|null $profile = null,
        private ?Closure $render = null,
    ) {}

    /**
     * @param list<CauseDetector> $detectors
     * @param float $seconds since the command started
     */
    public static function of(Recording $recording, array $detectors, float $seconds): self
    {
        $causes = [];

        // If no request reached the stack, nothing is known about it.
        foreach ($recording->traffic?->isAnswered() === false ? [] : $detectors as $detector) {
            $found = $detector->in($recording);

            if ($found !== null) {
                $causes[] = $found;
            }
        }

        // The sort is stable: at the same weight, the order of the detectors decides.
        usort($causes, static fn (Cause $a, Cause $b): int => $b->weight <=> $a->weight);

        $strongest = array_shift($causes) ?? self::none($recording);

        // A second wait for the same server adds no information.
        return new self(
            $recording,
            $strongest,
            array_values(array_filter(
                $causes,
                static fn (Cause $other): bool => $other->bottleneck->server() === null
                    || $other->bottleneck->server() !== $strongest->bottleneck->server(),
            )),
            $seconds,
        );
    }

    /** Whether only a profile can show what to change. */
    public function isCpuBound(): bool
    {
        return in_array($this->cause->bottleneck, [Bottleneck::CpuFull, Bottleneck::CpuQuota], true);
    }

    /** @param CpuProfile|MissingData $profile or the reason why it is missing */
    public function with(CpuProfile|MissingData $profile): self
    {
        $cause = $profile instanceof CpuProfile && $this->isCpuBound()
            ? $this->cause->withProfile($profile)
            : $this->cause;

        return new self($this->recording, $cause, $this->others, $this->secondsToCause, $profile, $this->render);
    }

    /** @param Closure(string): string $render returns a text with its commands as a user types them */
    public function withUserCommands(Closure $render): self
    {
        return new self(
            $this->recording,
            $this->cause->withUserCommands($render),
            array_map(static fn (Cause $other): Cause => $other->withUserCommands($render), $this->others),
            $this->secondsToCause,
            $this->profile,
            $render,
        );
    }

    /** @return list<MissingData> */
    public function missingData(): array
    {
        $all = $this->profile instanceof MissingData
            ? [...$this->recording->missingData, $this->profile]
            : $this->recording->missingData;
        $render = $this->render ?? static fn (string $text): string => $text;

        return array_map(static fn (MissingData $missing): MissingData => $missing->withUserCommands($render), $all);
    }

    /** @return array<string, string> check id => sentence of the first cause that names this check */
    public function sentenceByCheck(): array
    {
        $sentences = [];

        foreach ([$this->cause, ...$this->others] as $cause) {
            $sentences += array_fill_keys($cause->bottleneck->checks(), $cause->sentence);
        }

        return $sentences;
    }

    /** The finding that explains the cause, with its fix; null if no check has one. */
    public function explainedBy(Report $report): ?CheckResult
    {
        foreach ($this->cause->bottleneck->checks() as $id) {
            foreach ($report->problems() as $result) {
                if ($result->check->id === $id) {
                    return $result;
                }
            }
        }

        return null;
    }

    /** The fix of the finding that explains the cause, and how this package helps. */
    public function advice(Report $report): string
    {
        $explained = $this->explainedBy($report);
        $text = $explained?->finding->fix?->text;

        if ($explained === null || $text === null) {
            return $this->cause->advice();
        }

        $advice = "Apply the fix of {$explained->check->id} below: {$text}";

        // A fix that already names the buffer of this package would repeat the advice.
        return $this->cause->packageAdvice === '' || str_contains($text, 'Buffer::bucket(')
            ? $advice
            : "{$advice} {$this->cause->packageAdvice}";
    }

    /**
     * The critical findings that do not explain the cause. They are shown too.
     *
     * @return list<CheckResult>
     */
    public function otherCriticalResults(Report $report): array
    {
        $explained = $this->explainedBy($report)?->key();

        return array_values(array_filter(
            $report->problems(Severity::Critical),
            static fn (CheckResult $result): bool => $result->finding->status === Status::Fail
                && $result->key() !== $explained,
        ));
    }

    /** @return array<string, mixed> see docs/doctor.md */
    public function document(Report $report): array
    {
        return [
            'sentence' => $this->cause->sentence,
            'cause' => $this->cause->toArray()
                + [
                    'confidence' => $this->recording->missingData === [] && $this->recording->waits->isWhole()
                        ? 'all was seen'
                        : 'some could not be read',
                ],
            'others' => array_map(static fn (Cause $cause): array => $cause->toArray(), $this->others),
            'evidence' => array_map(
                static fn (Evidence $evidence): array => $evidence->toArray(),
                $this->cause->evidence,
            ),
            'unknown' => array_map(
                static fn (MissingData $missing): array => $missing->toArray(),
                $this->missingData(),
            ),
            'samples' => (new RecordingSeries($this->recording))->toArray(),
            'load' => $this->recording->traffic?->toArray(),
            'profile' => $this->profile instanceof CpuProfile ? $this->profile->toArray() : null,
            'next' => $this->cause->advice(),
            'fix' => $this->explainedBy($report)?->toArray()['fix'] ?? null,
            'fix_of' => $this->explainedBy($report)?->key(),
            'harmful' => array_map(
                static fn (CheckResult $result): string => $result->key(),
                $this->otherCriticalResults($report),
            ),
            'seconds_to_cause' => round($this->secondsToCause, 3),
        ];
    }

    private static function none(Recording $recording): Cause
    {
        $evidence = $recording->evidence();

        if ($recording->during === []) {
            return new Cause(
                Bottleneck::Unclear,
                0.0,
                'The observation ended before its first sample.',
                $evidence,
                Severity::Info,
                'Run this again, for several seconds.',
            );
        }

        if ($recording->traffic?->isAnswered() === false) {
            return new Cause(
                Bottleneck::Unclear,
                0.0,
                "Nothing answers at this address: none of {$recording->traffic->requests} requests got an answer.",
                $evidence,
                Severity::High,
                'Check the address, and that nginx runs and listens there: ss -tln',
            );
        }

        if ($recording->isDegraded()) {
            return new Cause(
                Bottleneck::Unclear,
                0.0,
                'Requests wait or fail, and the samples do not show why.',
                $evidence,
                Severity::High,
                $recording->missingData === []
                    ? 'Enable the slow log (check F8), and read it with headroom logs:slow.'
                    : "Run the commands listed under 'unknown', then run this again.",
            );
        }

        if ($recording->isInconclusive()) {
            return new Cause(
                Bottleneck::Unclear,
                0.0,
                sprintf(
                    'All processes are busy, and %.1f of %.1f could not be inspected.',
                    $recording->waits->of(WaitKind::Unknown),
                    $recording->waits->busy(),
                ),
                $evidence,
                Severity::Medium,
                'Run this again, for longer: other processes may have kept the doctor from the CPUs. The reason for one'
                    ." that could not be inspected: {$recording->waits->whyUnknown()}",
            );
        }

        $traffic = $recording->traffic;

        return new Cause(
            Bottleneck::Nothing,
            0.0,
            $traffic === null
                ? sprintf(
                    'No bottleneck: %s, and no request waits for a process.',
                    $recording->perSecond() === null
                        ? 'no fault was seen'
                        : sprintf('%.1f requests arrive per second', $recording->perSecond()),
                )
                : sprintf(
                    'No bottleneck: %.0f requests per second are answered, 95 %% of them within %.0f ms,'
                        .' and %.1f %% fail.',
                    $traffic->perSecond,
                    $traffic->p95Ms,
                    100 * $traffic->errorRate(),
                ),
            $evidence,
            Severity::Info,
            $traffic === null
                ? 'Run this while requests are slow, or send load with --url.'
                : 'Raise --concurrency to find the first limit.',
        );
    }
}
