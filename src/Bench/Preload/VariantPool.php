<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\FastCgiClient;
use Headroom\Host\Fpm\FastCgiResponse;
use Headroom\Host\Fpm\IniSettings;
use Headroom\Host\Fpm\Master;
use Headroom\Host\Fpm\PoolConfig;
use Headroom\Host\Fpm\PoolScript;
use Headroom\Preload\Page;
use Headroom\Process\InvalidServerConfig;
use Headroom\Process\ShutdownHandler;
use Headroom\Process\Stoppable;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;

/**
 * A running variant: a PHP-FPM of its own with one worker that is never replaced.
 *
 * @internal
 */
final readonly class VariantPool implements Stoppable
{
    /** The worker still cleans up after its answer. The kernel has its CPU time when the worker waits again. */
    private const SETTLE_MICROS = 3_000;

    /** @param float $startMillis from the start of the program until its worker waits for a request */
    private function __construct(
        public PreloadVariant $variant,
        public float $startMillis,
        private Master $master,
        private TemporaryDirectory $directory,
        private FastCgiSession $asked,
        private WorkerUsage $worker,
        private Clock $clock,
    ) {}

    /**
     * @throws UnableToFindProgram
     * @throws UnableToStart
     */
    public static function start(PreloadVariant $variant, Clock $clock = new SystemClock): self
    {
        $directory = TemporaryDirectory::create('preload', $variant->site->account);
        $from = $clock->monotonicNanos();

        try {
            $master = Master::start(
                new PoolConfig(1, $variant->site->account),
                $directory,
                $variant->site->env,
                new IniSettings($variant->ini()),
                $clock,
            );
        } catch (UnableToFindProgram|UnableToStart|InvalidServerConfig $e) {
            $directory->remove();

            throw $e;
        }

        $millis = ($clock->monotonicNanos() - $from) / 1e6;
        $pool = new self(
            $variant,
            $millis,
            $master,
            $directory,
            new FastCgiSession($variant->site, Address::parse($master->socket)),
            new WorkerUsage,
            $clock,
        );
        ShutdownHandler::stop($pool);

        return $pool;
    }

    public function ask(Page $page): FastCgiResponse
    {
        return $this->asked->ask($page);
    }

    /** The duration of one request, from the connection to the last byte, in milliseconds. */
    public function askedMillis(Page $page): float
    {
        $from = $this->clock->monotonicNanos();
        $this->ask($page);

        return ($this->clock->monotonicNanos() - $from) / 1e6;
    }

    /**
     * @param int<1, max> $requests that are measured
     * @param int $before requests before them: the CPU's caches still hold another variant
     * @throws UnableToMeasure
     */
    public function sample(Page $page, int $requests, int $before): CpuSample
    {
        for ($i = 0; $i < $before; $i++) {
            $this->ask($page);
        }

        $this->clock->sleep(self::SETTLE_MICROS);
        $pid = $this->workerPid($page->name());
        $cpu = $this->worker->cpuNanos($pid);
        $from = $this->clock->monotonicNanos();
        $statuses = [];

        for ($i = 0; $i < $requests; $i++) {
            $status = $this->ask($page)->status;
            $statuses[$status] = ($statuses[$status] ?? 0) + 1;
        }

        $wall = $this->clock->monotonicNanos() - $from;
        $this->clock->sleep(self::SETTLE_MICROS);

        return ($this->master->workerPids()[0] ?? null) === $pid
            ? new CpuSample(
                ($this->worker->cpuNanos($pid) - $cpu) / $requests / 1e3,
                $wall / $requests / 1e3,
                $statuses,
            )
            : throw UnableToMeasure::workerReplaced($this->variant->name, $page->name(), $this->master->logTail(5));
    }

    /** @throws UnableToMeasure */
    public function facts(): PoolFacts
    {
        return PoolFacts::fromJson($this->run(PoolFacts::SCRIPT), $this->variant->name, $this->warnings());
    }

    /** The output of PHP code that runs in the pool. */
    public function run(string $code): string
    {
        $script = PoolScript::write($code);

        try {
            return (new FastCgiClient(answerMillis: FastCgiSession::ANSWER_MILLIS))->get(
                Address::parse($this->master->socket),
                $script->path,
            )->body;
        } finally {
            $script->stop();
        }
    }

    /** Memory of the one worker; pages shared with the master count half. */
    public function workerBytes(): int
    {
        return $this->worker->bytes($this->workerPid('the pages'));
    }

    public function stop(): void
    {
        $this->master->stop();
        $this->directory->remove();
    }

    /** The files that PHP could not preload. PHP reports them in its log only. */
    private function warnings(): int
    {
        return substr_count((string) file_get_contents($this->directory->file('fpm.log')), "Can't preload");
    }

    private function workerPid(string $page): int
    {
        return $this->master->workerPids()[0]
            ?? throw UnableToMeasure::workerReplaced($this->variant->name, $page, $this->master->logTail(5));
    }
}
