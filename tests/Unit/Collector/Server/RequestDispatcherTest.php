<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Server;

use Headroom\Collector\Handler;
use Headroom\Collector\IngestResult;
use Headroom\Collector\Request;
use Headroom\Collector\RequestHandler;
use Headroom\Collector\Response;
use Headroom\Collector\Server\Connection;
use Headroom\Collector\Server\GroupCommit;
use Headroom\Collector\Server\HealthEndpoints;
use Headroom\Collector\Server\Metrics\MetricsRegistry;
use Headroom\Collector\Server\PendingRequest;
use Headroom\Collector\Server\ReadinessCheck;
use Headroom\Collector\Server\RequestDispatcher;
use Headroom\Collector\Server\StateDirectory;
use Headroom\Process\TemporaryDirectory;
use Headroom\Spool\Buffer;
use Headroom\Tests\Support\TimedClock;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use React\EventLoop\StreamSelectLoop;
use ReflectionClass;

/**
 * The log names the part of the collector that blocked the event loop, by a clock that this part moves.
 */
final class RequestDispatcherTest extends TestCase
{
    private TemporaryDirectory $directory;

    private TimedClock $clock;

    private Handler $handler;

    /** @var list<string> */
    private array $log = [];

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('dispatcher');
        $this->clock = new TimedClock;
        $this->handler = self::createStub(Handler::class);
        $this->handler->method('handle')->willReturnCallback(fn () => $this->clock->sleep(300_000));
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    #[Test]
    public function the_log_names_the_branch_that_blocked_the_event_loop(): void
    {
        $dispatcher = $this->dispatcher();

        foreach (['/metrics', '/slow/report', '/v1/events', '/livez'] as $path) {
            $this->clock->sleep(2_000_000);
            $this->dispatch($dispatcher, $path);
        }

        $blocked = 'blocked the event loop for';
        self::assertSame([
            "the health endpoint {$blocked} 200 ms with GET /metrics; all other clients waited",
            $this->handler::class." {$blocked} 300 ms with GET /slow/report; all other clients waited",
            "the ingest pipeline {$blocked} 400 ms with GET /v1/events; all other clients waited",
        ], $this->log);
    }

    private function dispatch(RequestDispatcher $dispatcher, string $path): void
    {
        $connection = (new ReflectionClass(Connection::class))->newInstanceWithoutConstructor();
        $dispatcher->dispatch(
            new Request('GET', $path),
            new PendingRequest($connection, 'GET', true, $this->clock->monotonicNanos()),
        );
    }

    private function dispatcher(): RequestDispatcher
    {
        $metrics = new MetricsRegistry;
        $log = function (string $message): void {
            $this->log[] = $message;
        };
        $ingest = self::createStub(RequestHandler::class);
        $ingest->method('ingest')->willReturnCallback(function (): IngestResult {
            $this->clock->sleep(400_000);

            return new IngestResult(new Response(422));
        });
        $buffer = Buffer::fromArray(['path' => $this->directory->path, 'buckets' => ['events' => []]]);
        $stateDirectory = new StateDirectory($this->directory->path, 0o755, 0o644);
        $readiness = new ReadinessCheck($stateDirectory, $this->clock, 'events', 0, null);
        $health = new HealthEndpoints($readiness, function (): string {
            $this->clock->sleep(200_000);

            return '';
        });
        $commit = new GroupCommit($buffer, $ingest, new StreamSelectLoop, $this->clock, $metrics, $log);

        return new RequestDispatcher(
            $health,
            ['/slow' => $this->handler],
            $ingest,
            $commit,
            $this->clock,
            $metrics,
            $log,
        );
    }
}
