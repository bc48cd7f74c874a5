<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload;

use Headroom\Bench\Preload\CpuSample;
use Headroom\Bench\Preload\PreloadVariant;
use Headroom\Bench\Preload\WorkerUsage;
use Headroom\Host\Fpm\IniSettings;
use Headroom\Preload\Page;
use RuntimeException;

/**
 * The worker mode of kept.php, measured like a pool: by the kernel's figures of its process.
 */
final class KeptApplication
{
    private const WARMING = 25;

    private const SETTLE_MICROS = 3_000;

    /**
     * @param resource $process
     * @param array{resource, resource} $pipes its input and output
     */
    private function __construct(
        private readonly mixed $process,
        private readonly array $pipes,
        public readonly int $pid,
    ) {}

    public static function start(PreloadVariant $variant): self
    {
        $ini = new IniSettings(['opcache.enable_cli' => true, ...$variant->ini()]);
        $account = $variant->site->account;
        $user = $account === null
            ? []
            : ['setpriv', "--reuid={$account->user}", "--regid={$account->gid}", '--clear-groups'];
        $command = [...$user, PHP_BINARY, ...$ini->flags(), dirname(__DIR__).'/kept.php', $variant->site->root];
        $process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
        is_resource($process) || throw new RuntimeException('The kept application does not start.');
        [$in, $out] = [$pipes[0] ?? null, $pipes[1] ?? null];
        is_resource($in) && is_resource($out) || throw new RuntimeException('The kept application has no pipes.');

        return new self($process, [$in, $out], proc_get_status($process)['pid']);
    }

    /** @param non-empty-list<Page> $pages */
    public function warm(array $pages): void
    {
        foreach ($pages as $page) {
            for ($i = 0; $i < self::WARMING; $i++) {
                $this->ask($page);
            }
        }
    }

    /** @return array{int, int} status and bytes of the body */
    public function ask(Page $page): array
    {
        fwrite($this->pipes[0], json_encode([$page->method, $page->target], JSON_THROW_ON_ERROR)."\n");
        $said = json_decode((string) fgets($this->pipes[1]), true);

        return is_array($said) && is_int($said['status'] ?? null) && is_int($said['bytes'] ?? null)
            ? [$said['status'], $said['bytes']]
            : throw new RuntimeException("The kept application does not answer {$page->name()}.");
    }

    /** @param int<1, max> $requests */
    public function sample(Page $page, int $requests): CpuSample
    {
        usleep(self::SETTLE_MICROS);
        $worker = new WorkerUsage;
        $cpu = $worker->cpuNanos($this->pid);
        $from = hrtime(true);
        $statuses = [];

        for ($i = 0; $i < $requests; $i++) {
            [$status] = $this->ask($page);
            $statuses[$status] = ($statuses[$status] ?? 0) + 1;
        }

        $wall = hrtime(true) - $from;
        usleep(self::SETTLE_MICROS);

        return new CpuSample(
            ($worker->cpuNanos($this->pid) - $cpu) / $requests / 1e3,
            $wall / $requests / 1e3,
            $statuses,
        );
    }

    public function stop(): void
    {
        array_map(fclose(...), $this->pipes);
        proc_close($this->process);
    }
}
