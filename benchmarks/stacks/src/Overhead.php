<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Stacks;

/**
 * The cost of sampling for the worker, and the samples, each way in turns on the same pool.
 */
final class Overhead
{
    private const REQUESTS = 6;

    /** @var array<string, array{worker: list<float>, sampler: list<float>}> */
    private array $cpu = [];

    /** @var array<string, Tally> */
    private array $tallies = [];

    /** @var array<string, int> runs after which the worker stayed stopped */
    private array $leftStopped = [];

    /** @var array<string, float> CPU seconds of the parts, as the pages report them */
    private array $truth = [];

    public function __construct(
        private readonly Pool $pool,
        private readonly string $directory,
        private readonly ?string $phpspy,
    ) {}

    /** @return array<string, mixed> */
    public function run(int $rounds): array
    {
        $pid = $this->pool->worker();
        $ways = [
            'none' => static fn (): null => null,
            'excimer-10ms' => null,
            'excimer-1ms' => null,
            'vm-99hz' => static fn (): OutsideSampler => OutsideSampler::reader($pid, 99, 'vm'),
            'file-99hz' => static fn (): OutsideSampler => OutsideSampler::reader($pid, 99, 'file'),
            'vm-999hz' => static fn (): OutsideSampler => OutsideSampler::reader($pid, 999, 'vm'),
        ];

        if ($this->phpspy !== null) {
            $ways['phpspy-99hz'] = fn (): OutsideSampler
                => OutsideSampler::phpspy((string) $this->phpspy, $pid, 99, []);
            $ways['phpspy-999hz'] = fn (): OutsideSampler
                => OutsideSampler::phpspy((string) $this->phpspy, $pid, 999, []);
            $ways['phpspy-999hz-paused'] = fn (): OutsideSampler
                => OutsideSampler::phpspy((string) $this->phpspy, $pid, 999, ['-S']);
        }

        for ($round = 1; $round <= $rounds; $round++) {
            foreach ($ways as $name => $sampler) {
                fwrite(STDERR, "round {$round}: {$name}\n");
                $script = $sampler === null ? $name : 'page';
                $this->once($name, $sampler === null ? null : $sampler(), "{$this->directory}/{$script}.php");
            }
        }

        return $this->result(array_keys($ways));
    }

    private function once(string $name, ?OutsideSampler $sampler, string $script): void
    {
        $pid = $this->pool->worker();
        $before = CpuClock::seconds($pid);

        for ($i = 0; $i < self::REQUESTS; $i++) {
            foreach ($this->pool->page($script) as $part => $seconds) {
                $this->truth[KnownPage::PARTS[$part]] = ($this->truth[KnownPage::PARTS[$part]] ?? 0.0) + $seconds;
            }
        }

        $this->cpu[$name]['worker'][] = CpuClock::seconds($pid) - $before;
        $told = $sampler?->finish();
        $this->cpu[$name]['sampler'][] = $told['cpu'] ?? 0.0;

        if ($told !== null) {
            $this->leftStopped[$name] = ($this->leftStopped[$name] ?? 0) + ($this->pool->wasLeftStopped() ? 1 : 0);
            $this->tallies[$name] ??= new Tally;
            $isPhpspy = str_starts_with($name, 'phpspy');
            $tally = $isPhpspy ? Tally::ofPhpspy($told['output']) : Tally::ofReader($told['output']);
            $this->tallies[$name]->merge($tally);
        }
    }

    /**
     * @param list<string> $names
     * @return array<string, mixed>
     */
    private function result(array $names): array
    {
        $all = array_sum($this->truth);
        $truth = array_map(static fn (float $seconds): float => round($seconds / $all, 3), $this->truth);
        $result = ['truth' => $truth, 'ways' => []];

        foreach ($names as $name) {
            $ratio = static fn (float $with, float $without): float => $with / $without;
            $ratios = array_map($ratio, $this->cpu[$name]['worker'], $this->cpu['none']['worker']);
            sort($ratios);
            $tally = $this->tallies[$name] ?? null;
            $excimer = Excimer::counts("{$this->directory}/{$name}.log");
            $tops = $tally->tops ?? $excimer['tops'];
            $samples = $tally === null ? $excimer['samples'] : array_sum($tally->kinds);
            $sampler = array_sum($this->cpu[$name]['sampler']);
            $result['ways'][$name] = [
                'worker_cpu_ratio' => round($ratios[intdiv(count($ratios), 2)], 4),
                'worker_cpu_ratio_range' => [round($ratios[0], 3), round($ratios[count($ratios) - 1], 3)],
                'sampler_cpu_ratio' => round($sampler / array_sum($this->cpu[$name]['worker']), 4),
                'sampler_us_per_sample' => $samples === 0 ? 0.0 : round(1e6 * $sampler / $samples, 1),
                'left_stopped' => $this->leftStopped[$name] ?? 0,
                'samples' => $samples,
                'kinds' => $tally?->kinds,
                'tops' => array_map(static fn (int $n): float => round($n / max(1, array_sum($tops)), 3), $tops),
            ];
        }

        return $result;
    }
}
