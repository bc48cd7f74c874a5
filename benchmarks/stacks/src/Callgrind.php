<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Stacks;

use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * Instructions of a sample by excimer: those of a run with it, minus those of a run that does the same work without
 * it.
 */
final readonly class Callgrind
{
    /** Below 40 frames of a framework, a loop that calls a function. */
    private const WORK = <<<'PHP'
        function leaf(int $n): int { return $n * 3 % 7; }
        function deep(int $left): int { if ($left > 0) { return deep($left - 1); }
        for ($i = 0, $n = 0; $i < 1_500_000; $i++) { $n += leaf($i); } return $n; }
        deep(40);
        PHP;

    private const START = '$p = new ExcimerProfiler; $p->setEventType(EXCIMER_CPU); $p->setPeriod(%PERIOD%);'
        .' $p->setMaxDepth(250); $p->start();';

    private const STOP = '$p->stop(); fwrite(STDERR, "entries=".count($p->getLog())."\n");';

    public function __construct(private string $directory) {}

    /** @return array<string, mixed> */
    public function run(): array
    {
        [$without] = $this->instructions('');
        [$never] = $this->instructions($this->sampled('1000.0'));
        [$with, $samples] = $this->instructions($this->sampled('0.01'));

        return [
            'work' => $without,
            'started_without_a_sample' => $never - $without,
            'samples' => $samples,
            'per_sample' => $samples === 0 ? null : (int) round(($with - $never) / $samples),
        ];
    }

    private function sampled(string $period): string
    {
        return strtr(self::START, ['%PERIOD%' => $period]);
    }

    /** @return array{int, int} instructions and samples */
    private function instructions(string $start): array
    {
        $script = "{$this->directory}/work.php";
        file_put_contents($script, "<?php\n{$start}\n".self::WORK."\n".($start === '' ? '' : self::STOP));
        // Without fair scheduling, the sampling thread waits for the working one.
        $valgrind = ['valgrind', '--tool=callgrind', '--fair-sched=yes', "--callgrind-out-file={$this->directory}/out"];
        $process = new Process([...$valgrind, PHP_BINARY, $script], timeout: 300);
        $process->mustRun();
        $errors = $process->getErrorOutput();
        preg_match('~Collected : (\d+)~', $errors, $collected) === 1 || throw new RuntimeException($errors);
        preg_match('~entries=(\d+)~', $errors, $entries);

        return [(int) $collected[1], (int) ($entries[1] ?? 0)];
    }
}
