<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Profile;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Fpm\Status\JsonFields;

/**
 * The PHP functions that took the CPU time of the sampled requests.
 *
 * @phpstan-type Counted array{name: string, file: string, self: int, inclusive: int, lines: array<int, int>}
 *
 * @internal
 */
final readonly class CpuProfile
{
    /** With fewer samples, the order of the functions is random. */
    public const MIN_SAMPLES = 50;

    private const MAX_EVIDENCE = 5;

    private const MIN_SHOWN_SHARE = 0.01;

    private const MAX_FUNCTIONS = 50;

    private const HOT_SHARE = 0.2;

    private const MAJORITY = 0.5;

    /**
     * @param string $script that the pool ran
     * @param list<HotFunction> $functions by their own samples, the most first
     */
    private function __construct(
        public string $script,
        public int $requests,
        public int $samples,
        public float $cpuSeconds,
        public array $functions,
    ) {}

    /** @param list<RequestSamples> $requests */
    public static function of(string $script, array $requests): self
    {
        $samples = 0;
        $micros = 0;
        $counts = [];

        foreach ($requests as $request) {
            $samples += $request->samples;
            $micros += $request->cpuMicros;

            foreach ($request->functions as $function) {
                self::add($counts, $function);
            }
        }

        $functions = array_map(static function (array $count) use ($samples): HotFunction {
            arsort($count['lines']);
            $all = max(1, $samples);
            $line = array_key_first($count['lines']) ?? 0;

            return new HotFunction(
                $count['name'],
                $count['file'],
                $line,
                $count['self'] / $all,
                $count['inclusive'] / $all,
            );
        }, array_values($counts));

        usort($functions, HotFunction::hotterFirst(...));

        $kept = array_slice($functions, 0, self::MAX_FUNCTIONS);

        // A function that only calls others has few samples of its own.
        foreach (array_slice($functions, self::MAX_FUNCTIONS) as $function) {
            $kept = $function->inclusive >= self::MIN_SHOWN_SHARE ? [...$kept, $function] : $kept;
        }

        return new self(
            $script,
            count($requests),
            $samples,
            $micros / 1e6,
            array_slice($kept, 0, 2 * self::MAX_FUNCTIONS),
        );
    }

    /** Of one request. */
    public function cpuMillis(): float
    {
        return 1_000 * $this->cpuSeconds / max(1, $this->requests);
    }

    public function isEnough(): bool
    {
        return $this->samples >= self::MIN_SAMPLES && $this->functions !== [];
    }

    /**
     * The function to look at first: the one with a large share of its own. If none has, the innermost one with at
     * least half of the time in itself and its calls.
     */
    public function hottest(): ?HotFunction
    {
        $first = $this->functions[0] ?? null;

        if ($first === null || $first->self >= self::HOT_SHARE) {
            return $first;
        }

        $most = array_filter($this->functions, static fn (HotFunction $hot): bool => $hot->inclusive >= self::MAJORITY);
        usort($most, static fn (HotFunction $a, HotFunction $b): int => $a->inclusive <=> $b->inclusive);

        return $most[0] ?? $first;
    }

    /** @return list<Evidence> */
    public function evidence(): array
    {
        $of = sprintf('%d samples in %.1f s of CPU time', $this->samples, $this->cpuSeconds);
        $seen = array_filter(
            $this->functions,
            static fn (HotFunction $hot): bool => $hot->self >= self::MIN_SHOWN_SHARE,
        );
        $hottest = $this->hottest();
        $shown = array_slice($seen, 0, self::MAX_EVIDENCE);
        $shown = $hottest === null || in_array($hottest, $shown, true) ? $shown : [$hottest, ...$shown];

        return [
            ...array_map(static fn (HotFunction $function): Evidence => $function->evidence(), $shown),
            new Evidence('sampled', "{$of}, {$this->requests} requests", "{$this->script}, by excimer"),
        ];
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'script' => $this->script,
            'requests' => $this->requests,
            'samples' => $this->samples,
            'cpu_seconds' => round($this->cpuSeconds, 3),
            'functions' => array_map(static fn (HotFunction $hot): array => $hot->toArray(), $this->functions),
        ];
    }

    /** @param array<string, Counted> $counts */
    private static function add(array &$counts, JsonFields $function): void
    {
        $name = $function->text('name') ?? '';
        $file = $function->text('file') ?? '';
        $key = "{$name} {$file}";
        $counts[$key] ??= ['name' => $name, 'file' => $file, 'self' => 0, 'inclusive' => 0, 'lines' => []];
        $self = $function->count('self') ?? 0;
        $line = $function->count('line') ?? 0;
        $counts[$key]['self'] += $self;
        $counts[$key]['inclusive'] += $function->count('inclusive') ?? 0;
        $counts[$key]['lines'][$line] = ($counts[$key]['lines'][$line] ?? 0) + $self;
    }
}
