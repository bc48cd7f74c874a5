<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;
use Headroom\Collector\Handler;
use Headroom\Collector\IngestResult;
use Headroom\Collector\Problem;
use Headroom\Collector\Request;
use Headroom\Collector\Server\Metrics\MetricsRegistry;
use Headroom\Core\Clock;
use Throwable;

/**
 * Who answers a request: the probes, a mounted handler, or the intake. Nothing that one of them throws ends the worker.
 *
 * @internal
 */
final class RequestDispatcher
{
    /** Whatever takes longer has kept everybody waiting. */
    private const SLOW_NANOS = 100_000_000;

    /**
     * Who stands before this may have let the path pass for what it comes to, which is not below the handler's prefix.
     */
    private const DETOUR = '~(?:/|%2f)(?:\.|%2e){1,2}(?:/|%2f|\z)~i';

    /** @var array<int, string> by status */
    private array $series = [];

    private int $toldAt = 0;

    /**
     * @param array<string, Handler> $handlers by path prefix, the longest first
     * @param ?Closure(Request, int): IngestResult $decide null: there is no intake here
     * @param Closure(string): void $say
     */
    public function __construct(
        private readonly HealthEndpoints $probe,
        private readonly array $handlers,
        private readonly ?Closure $decide,
        private readonly GroupCommit $commit,
        private readonly Clock $clock,
        private readonly MetricsRegistry $meter,
        private readonly Closure $say,
    ) {}

    public function handle(Request $request, PendingRequest $exchange): void
    {
        $who = 'the intake';

        try {
            $answer = ($this->probe)($request);

            if ($answer !== null) {
                $exchange->settle($answer);

                return;
            }

            foreach ($this->handlers as $prefix => $handler) {
                if ($request->path === $prefix || str_starts_with($request->path, "{$prefix}/")) {
                    $who = $handler::class;
                    preg_match(self::DETOUR, $request->path) === 1
                        ? $exchange->settle(Problem::response(
                            400,
                            'bad_target',
                            'The path has a segment . or .., which is to be resolved before it is sent.',
                        ))
                        : $handler->handle($request, $exchange);

                    return;
                }
            }

            $this->decide === null
                ? $exchange->settle(Problem::response(404, 'not_found', 'There is nothing here.'))
                : $this->commit->add(($this->decide)($request, $this->clock->micros()), $exchange, $request);
        } catch (Throwable $e) {
            $this->failed($e);
            $exchange->settle(Problem::response(
                500,
                'internal_error',
                'This request made the collector fail; its log says how. Other requests are not affected.',
            ));
        } finally {
            $this->measure($exchange->startedAt, $who, $request);
        }
    }

    public function answered(int $status): void
    {
        $this->meter->count($this->series[$status] ??= 'headroom_http_requests_total{code="'.$status.'"}');
    }

    public function failed(Throwable $e): void
    {
        $this->meter->count('headroom_handler_errors_total{class="'.addcslashes($e::class, "\\\"\n").'"}');
        ($this->say)(
            sprintf('a request failed: %s: %s (%s:%d)', $e::class, $e->getMessage(), $e->getFile(), $e->getLine()),
        );
    }

    private function measure(int $since, string $who, Request $request): void
    {
        $now = $this->clock->monotonicNanos();

        if ($now - $since > self::SLOW_NANOS && $now - $this->toldAt > 1_000_000_000) {
            $this->toldAt = $now;
            ($this->say)(sprintf(
                '%s kept the loop for %d ms with %s %s: nobody else was served meanwhile',
                $who,
                intdiv($now - $since, 1_000_000),
                $request->method,
                substr($request->path, 0, 100),
            ));
        }
    }
}
