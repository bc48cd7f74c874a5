<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Report;
use Headroom\Doctor\Severity;
use Headroom\Doctor\Status;
use Headroom\Doctor\UnderLoad\Profile\CpuProfile;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;

/**
 * The one sentence, and what it rests on.
 *
 * @internal
 */
final readonly class LoadDiagnosis
{
    /** @param list<Candidate> $others that the recording speaks for as well, the strongest first */
    private function __construct(
        public Recording $recording,
        public Candidate $cause,
        public array $others,
        public float $secondsToCause,
        private CpuProfile|MissingData|null $profile = null,
    ) {}

    /**
     * @param list<Cause> $causes
     * @param float $seconds since the command started
     */
    public static function of(Recording $recording, array $causes, float $seconds): self
    {
        $suspects = [];

        // If no request reached the stack, nothing is known about it.
        foreach ($recording->traffic?->isAnswered() === false ? [] : $causes as $cause) {
            $suspect = $cause->in($recording);

            if ($suspect !== null) {
                $suspects[] = $suspect;
            }
        }

        // The sort is stable: of two alike the order of the causes decides.
        usort($suspects, static fn (Candidate $a, Candidate $b): int => $b->weight <=> $a->weight);

        $cause = array_shift($suspects) ?? self::none($recording);

        // That they wait for answers of the same server says nothing more.
        return new self(
            $recording,
            $cause,
            array_values(array_filter(
                $suspects,
                static fn (Candidate $suspect): bool => $suspect->stall->server() === null
                    || $suspect->stall->server() !== $cause->stall->server(),
            )),
            $seconds,
        );
    }

    /** Whether it takes a profile to say what to change. */
    public function isOfCpu(): bool
    {
        return in_array($this->cause->stall, [Bottleneck::CpuFull, Bottleneck::CpuQuota], true);
    }

    /** @param CpuProfile|MissingData $profile or the reason why it is missing */
    public function with(CpuProfile|MissingData $profile): self
    {
        $cause = $profile instanceof CpuProfile && $this->isOfCpu() ? $this->cause->naming($profile) : $this->cause;

        return new self($this->recording, $cause, $this->others, $this->secondsToCause, $profile);
    }

    /** @return list<MissingData> */
    public function gaps(): array
    {
        return $this->profile instanceof MissingData
            ? [...$this->recording->gaps, $this->profile]
            : $this->recording->gaps;
    }

    public function isStall(): bool
    {
        return $this->cause->stall !== Bottleneck::Nothing;
    }

    /** @return array<string, string> what was seen by the id of each rule that explains it, the cause's first */
    public function supported(): array
    {
        $sentences = [];

        foreach ([$this->cause, ...$this->others] as $suspect) {
            $sentences += array_fill_keys($suspect->stall->rules(), $suspect->sentence);
        }

        return $sentences;
    }

    /** The finding that explains the cause, with its fix; null where no check found one. */
    public function explainedBy(Report $diagnosis): ?CheckResult
    {
        foreach ($this->cause->stall->rules() as $id) {
            foreach ($diagnosis->problems() as $verdict) {
                if ($verdict->check->id === $id) {
                    return $verdict;
                }
            }
        }

        return null;
    }

    /** What to do: as the finding that explains the cause says, and what this package does about it. */
    public function advice(Report $diagnosis): string
    {
        $explained = $this->explainedBy($diagnosis);
        $text = $explained?->finding->fix?->text;

        if ($explained === null || $text === null) {
            return $this->cause->advice();
        }

        $advice = "Do what {$explained->check->id} says below: {$text}";

        return $this->cause->cure === '' || str_contains(
            $text,
            'Buffer::bucket(',
        ) ? $advice : "{$advice} {$this->cause->cure}";
    }

    /**
     * The critical findings that do not explain the cause: they are shown too.
     *
     * @return list<CheckResult>
     */
    public function harmful(Report $diagnosis): array
    {
        $explained = $this->explainedBy($diagnosis)?->key();

        return array_values(array_filter(
            $diagnosis->problems(Severity::Critical),
            static fn (CheckResult $verdict): bool => $verdict->finding->status === Status::Fail
                && $verdict->key() !== $explained,
        ));
    }

    /** @return array<string, mixed> see docs/doctor.md */
    public function document(Report $diagnosis): array
    {
        return [
            'sentence' => $this->cause->sentence,
            'cause' => $this->cause->toArray()
                + [
                    'confidence' => $this->recording->gaps === [] && $this->recording->waits->isWhole()
                        ? 'all was seen'
                        : 'some could not be read',
                ],
            'others' => array_map(static fn (Candidate $suspect): array => $suspect->toArray(), $this->others),
            'evidence' => array_map(
                static fn (Evidence $evidence): array => $evidence->toArray(),
                $this->cause->evidence,
            ),
            'unknown' => array_map(static fn (MissingData $gap): array => $gap->toArray(), $this->gaps()),
            'samples' => (new RecordingSeries($this->recording))->toArray(),
            'load' => $this->recording->traffic?->toArray(),
            'profile' => $this->profile instanceof CpuProfile ? $this->profile->toArray() : null,
            'next' => $this->cause->advice(),
            'fix' => $this->explainedBy($diagnosis)?->toArray()['fix'] ?? null,
            'fix_of' => $this->explainedBy($diagnosis)?->key(),
            'harmful' => array_map(
                static fn (CheckResult $verdict): string => $verdict->key(),
                $this->harmful($diagnosis),
            ),
            'seconds_to_cause' => round($this->secondsToCause, 3),
        ];
    }

    private static function none(Recording $recording): Candidate
    {
        $evidence = $recording->evidence();

        if ($recording->during === []) {
            return new Candidate(
                Bottleneck::Unclear,
                0.0,
                'It was ended before there was anything to see.',
                $evidence,
                Severity::Info,
                'Look again, for some seconds at least.',
            );
        }

        if ($recording->traffic?->isAnswered() === false) {
            return new Candidate(
                Bottleneck::Unclear,
                0.0,
                "No server answers at this address: none of {$recording->traffic->requests} requests got a"
                    .' connection that'
                    .' was answered.',
                $evidence,
                Severity::High,
                'Look at the address, and whether nginx runs and listens there: ss -tln',
            );
        }

        if ($recording->hurts()) {
            return new Candidate(
                Bottleneck::Unclear,
                0.0,
                'Requests wait or fail, and what could be seen does not tell why.',
                $evidence,
                Severity::High,
                $recording->gaps === []
                    ? 'Switch the slow log on (check F8) and read it with headroom logs:slow.'
                    : 'Make readable what is listed as unknown, and look again.',
            );
        }

        if ($recording->mayHide()) {
            return new Candidate(
                Bottleneck::Unclear,
                0.0,
                sprintf(
                    'All processes are taken, and what %.1f of %.1f do could not be seen.',
                    $recording->waits->of(WaitKind::Unknown),
                    $recording->waits->busy(),
                ),
                $evidence,
                Severity::Medium,
                'Look again, for longer: others may have kept the CPUs from the doctor. Of one of them:'
                    ." {$recording->waits->whyUnknown()}",
            );
        }

        $traffic = $recording->traffic;

        return new Candidate(
            Bottleneck::Nothing,
            0.0,
            $traffic === null
                ? sprintf(
                    'Nothing stalls: %s, and no request waits for a process.',
                    $recording->perSecond() === null
                        ? 'what could be seen is well'
                        : sprintf('%.1f requests per second come', $recording->perSecond()),
                )
                : sprintf(
                    'Nothing stalls: %.0f requests per second are answered, 95 %% of them within %.0f ms,'
                        .' and %.1f %% fail.',
                    $traffic->perSecond,
                    $traffic->p95Ms,
                    100 * $traffic->errorRate(),
                ),
            $evidence,
            Severity::Info,
            $traffic === null
                ? 'Look while it stalls, or send load with --url.'
                : 'Ask for more with --concurrency to see what gives way first.',
        );
    }
}
