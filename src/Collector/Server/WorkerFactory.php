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
use Headroom\Collector\Server\Metrics\PrometheusText;
use Headroom\Process\Supervision\Channel;
use Headroom\Spool\Buffer;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Store\Writer;
use Throwable;

/**
 * Builds a worker.
 *
 * @internal
 */
final readonly class WorkerFactory
{
    /**
     * @param Closure(class-string<Handler>, HttpClient): object $makeHandler
     * @param Closure(string): void $log
     */
    public function __construct(
        private CollectorConfig $config,
        private SpoolServices $spool,
        private StateDirectory $stateDirectory,
        private RequestHandler $ingest,
        private Closure $makeHandler,
        private Closure $log,
    ) {}

    /**
     * @param array<string, Listener> $listeners
     *
     * @throws UnableToServe
     */
    public function create(Channel $supervisor, array $listeners, bool $mayShut): Worker
    {
        $loops = EventLoopFactory::best();
        $loop = $loops->make();
        $clock = $this->spool->clock();
        $metrics = new MetricsRegistry;
        $metricsFiles = new MetricsFiles($this->stateDirectory);
        $timeouts = $this->config->timeouts();
        $commit = new GroupCommit($this->buffer(), $this->ingest, $loop, $clock, $metrics, $this->log);
        $readiness = $this->readiness();
        $descriptors = new FileDescriptorBudget(min($loops->descriptors, $this->config->descriptors ?? PHP_INT_MAX));
        $httpClient = new ConnectionPoolClient($loop, $this->config->limits()->message, $descriptors);
        $dispatchers = [
            'main' => new RequestDispatcher(
                new HealthEndpoints($readiness, null),
                $this->handlers($httpClient),
                $this->ingest,
                $commit,
                $clock,
                $metrics,
                $this->log,
            ),
            'admin' => new RequestDispatcher(
                new HealthEndpoints($readiness, static fn (): string => PrometheusText::of($metricsFiles->sum())),
                [],
                null,
                $commit,
                $clock,
                $metrics,
                $this->log,
            ),
        ];
        $connections = new ConnectionManager(
            $loop,
            $clock,
            $listeners,
            $dispatchers,
            $this->config->limits(),
            $timeouts,
            $descriptors,
            $metrics,
            $this->log,
        );
        $recyclePolicy = $this->config->recyclePolicy($clock->monotonicNanos(), mt_rand() / mt_getrandmax());

        return new Worker(
            getmypid().'-'.$clock->micros(),
            $loop,
            $supervisor,
            $connections,
            $commit,
            $listeners,
            $mayShut,
            $readiness,
            $recyclePolicy,
            $timeouts,
            $metrics,
            $metricsFiles,
            $clock,
            $this->log,
        );
    }

    /**
     * A buffer without the overflow policy: the collector answers 503 and the client retries, because a direct write to
     * a sink would block the event loop.
     */
    private function buffer(): Buffer
    {
        $this->spool->config();

        return Buffer::onDisk(
            $this->spool->settings()->withPowerByDefault($this->ingest->buckets()),
            $this->spool->clock(),
            remote: fn (string $bucket): Writer => $this->spool->writerFactory()->redisWriter($bucket),
            late: fn (string $bucket, string $oldest) => $this->spool->writerFactory()->noteLate($bucket, $oldest),
        );
    }

    private function readiness(): ReadinessCheck
    {
        $spool = $this->spool->config();
        $quota = $spool->maxBytes($this->config->bucket);

        return new ReadinessCheck(
            $this->stateDirectory,
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
    private function handlers(HttpClient $httpClient): array
    {
        $handlers = [];

        foreach ($this->config->handlers as $prefix => $class) {
            try {
                $handler = ($this->makeHandler)($class, $httpClient);
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
