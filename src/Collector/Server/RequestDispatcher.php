<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;
use Headroom\Collector\Handler;
use Headroom\Collector\Problem;
use Headroom\Collector\Request;
use Headroom\Collector\RequestHandler;
use Headroom\Collector\Server\Metrics\MetricsRegistry;
use Headroom\Core\Clock;
use Headroom\Support\MetricsText;
use Throwable;

/**
 * Passes a request to the health endpoints, a mounted handler or the ingest pipeline. An exception in one of them ends
 * the request, never the worker.
 *
 * @internal
 */
final class RequestDispatcher
{
    /** A request that takes longer delays all other clients. */
    private const SLOW_NANOS = 100_000_000;

    /** A proxy in front may have resolved the path and checked the result, which is not below the handler's prefix. */
    private const DOT_SEGMENT = '~(?:/|%2f)(?:\.|%2e){1,2}(?:/|%2f|\z)~i';

    private int $loggedAt = 0;

    /**
     * @param array<string, Handler> $handlers by path prefix, the longest first
     * @param ?RequestHandler $ingest null: this listener accepts no events
     * @param Closure(string): void $log
     */
    public function __construct(
        private readonly HealthEndpoints $health,
        private readonly array $handlers,
        private readonly ?RequestHandler $ingest,
        private readonly GroupCommit $commit,
        private readonly Clock $clock,
        private readonly MetricsRegistry $metrics,
        private readonly Closure $log,
    ) {}

    public function dispatch(Request $request, PendingRequest $pending): void
    {
        $branch = 'the health endpoint';

        try {
            $response = $this->health->respond($request);

            if ($response !== null) {
                $pending->complete($response);
            } elseif (($handler = $this->handlerOf($request)) !== null) {
                $branch = $handler::class;
                $this->handle($handler, $request, $pending);
            } elseif ($this->ingest === null) {
                $branch = 'the response 404';
                $pending->complete(Problem::response(404, 'not_found', 'This address has no such path.'));
            } else {
                $branch = 'the ingest pipeline';
                $this->commit->add($this->ingest->ingest($request, $this->clock->micros()), $pending, $request);
            }
        } catch (Throwable $e) {
            $this->logFailure($e);
            $pending->complete(Problem::requestFailed());
        } finally {
            $this->logIfSlow($pending->startedAt, $branch, $request);
        }
    }

    public function countResponse(int $status): void
    {
        $this->metrics->countResponse($status);
    }

    public function logFailure(Throwable $e): void
    {
        $this->metrics->increment(MetricsText::series('headroom_handler_errors_total', ['class' => $e::class]));
        ($this->log)(
            sprintf('a request failed: %s: %s (%s:%d)', $e::class, $e->getMessage(), $e->getFile(), $e->getLine()),
        );
    }

    private function handlerOf(Request $request): ?Handler
    {
        foreach ($this->handlers as $prefix => $handler) {
            if ($request->path === $prefix || str_starts_with($request->path, "{$prefix}/")) {
                return $handler;
            }
        }

        return null;
    }

    private function handle(Handler $handler, Request $request, PendingRequest $pending): void
    {
        if (preg_match(self::DOT_SEGMENT, $request->path) === 1) {
            $pending->complete(Problem::response(
                400,
                'bad_target',
                'The path has a segment . or .., which the client must resolve before it sends the request.',
            ));

            return;
        }

        $handler->handle($request, $pending);
    }

    private function logIfSlow(int $since, string $branch, Request $request): void
    {
        $now = $this->clock->monotonicNanos();

        if ($now - $since > self::SLOW_NANOS && $now - $this->loggedAt > 1_000_000_000) {
            $this->loggedAt = $now;
            ($this->log)(sprintf(
                '%s blocked the event loop for %d ms with %s %s; all other clients waited',
                $branch,
                intdiv($now - $since, 1_000_000),
                $request->method,
                substr($request->path, 0, 100),
            ));
        }
    }
}
