<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;
use Headroom\Collector\CollectorConfig;
use Headroom\Collector\Handler;
use Headroom\Collector\HttpClient;
use Headroom\Collector\RequestHandler;
use Headroom\Collector\Server\Metrics\MetricsFiles;
use Headroom\Collector\Server\Metrics\MetricsRegistry;
use Headroom\Process\Supervision\Channel;
use Headroom\Spool\Buffer;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Store\Writer;
use Throwable;

/**
 * Puts the parts of a worker together.
 *
 * @internal
 */
final readonly class WorkerFactory
{
    /**
     * @param Closure(class-string<Handler>, HttpClient): object $make
     * @param Closure(string): void $say
     */
    public function __construct(
        private CollectorConfig $config,
        private SpoolServices $spool,
        private StateDirectory $home,
        private RequestHandler $taker,
        private Closure $make,
        private Closure $say,
    ) {}

    /**
     * @param array<string, Listener> $listeners
     *
     * @throws UnableToServe
     */
    public function worker(Channel $supervisor, array $listeners, bool $mayShut): Worker
    {
        $loops = EventLoopFactory::best();
        $loop = $loops->make();
        $clock = $this->spool->clock();
        $meter = new MetricsRegistry;
        $metrics = new MetricsFiles($this->home);
        $timeouts = $this->config->timeouts();
        $commit = new GroupCommit($this->buffer(), $this->taker->notAppended, $loop, $clock, $meter, $this->say);
        $readiness = $this->readiness();
        $descriptors = new FileDescriptorBudget(min($loops->descriptors, $this->config->descriptors ?? PHP_INT_MAX));
        $calls = new ConnectionPoolClient($loop, $this->config->limits()->message, $descriptors);
        $services = [
            'main' => new RequestDispatcher(
                new HealthEndpoints($readiness, null),
                $this->handlers($calls),
                $this->taker->decide,
                $commit,
                $clock,
                $meter,
                $this->say,
            ),
            'admin' => new RequestDispatcher(
                new HealthEndpoints($readiness, $metrics->text(...)),
                [],
                null,
                $commit,
                $clock,
                $meter,
                $this->say,
            ),
        ];
        $clients = new ConnectionManager(
            $loop,
            $clock,
            $listeners,
            $services,
            $this->config->limits(),
            $timeouts,
            $descriptors,
            $meter,
            $this->say,
        );
        $lifetime = $this->config->lifetime($clock->monotonicNanos(), mt_rand() / mt_getrandmax());

        return new Worker(
            getmypid().'-'.$clock->micros(),
            $loop,
            $supervisor,
            $clients,
            $commit,
            $listeners,
            $mayShut,
            $readiness,
            $lifetime,
            $timeouts,
            $meter,
            $metrics,
            $clock,
            $this->say,
        );
    }

    /**
     * Throws what it can not take, whichever overflow is set: a client can come again,
     * and a sink must not be waited for in the loop.
     */
    private function buffer(): Buffer
    {
        $this->spool->config();

        return Buffer::onDisk(
            $this->spool->settings()->withPowerByDefault($this->taker->buckets),
            $this->spool->clock(),
            remote: fn (string $bucket): Writer => $this->spool->writerFactory()->redisWriter($bucket),
        );
    }

    private function readiness(): ReadinessCheck
    {
        $spool = $this->spool->config();
        $quota = $spool->maxBytes($this->config->bucket);

        return new ReadinessCheck(
            $this->home,
            $this->spool->clock(),
            $this->config->bucket,
            $spool->minFreeBytes(),
            $this->config->highWater ?? ($quota === null ? null : intdiv($quota, 10) * 9),
        );
    }

    /**
     * @return array<string, Handler>
     *
     * @throws UnableToServe
     */
    private function handlers(HttpClient $calls): array
    {
        $handlers = [];

        foreach ($this->config->handlers as $prefix => $class) {
            try {
                $handler = ($this->make)($class, $calls);
            } catch (Throwable $e) {
                throw UnableToServe::notHandled($class, $e->getMessage());
            }

            $handlers[$prefix] = $handler instanceof Handler
                ? $handler
                : throw UnableToServe::notHandled($class, 'it was made as '.$handler::class);
        }

        return $handlers;
    }
}
