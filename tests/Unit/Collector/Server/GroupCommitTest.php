<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Server;

use FilesystemIterator;
use Headroom\Collector\DeadLetters;
use Headroom\Collector\IngestResult;
use Headroom\Collector\Request;
use Headroom\Collector\RequestHandler;
use Headroom\Collector\Response;
use Headroom\Collector\Server\Connection;
use Headroom\Collector\Server\GroupCommit;
use Headroom\Collector\Server\Metrics\MetricsRegistry;
use Headroom\Collector\Server\PendingRequest;
use Headroom\Process\TemporaryDirectory;
use Headroom\Spool\Buffer;
use Headroom\Tests\Support\TimedClock;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use React\EventLoop\StreamSelectLoop;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use ReflectionClass;
use SplFileInfo;

final class GroupCommitTest extends TestCase
{
    /** A worker that ends may have responded to a rejected event in its last tick. */
    #[Test]
    public function dead_letters_that_wait_for_the_next_tick_are_stored_at_the_end(): void
    {
        $directory = TemporaryDirectory::create('commit');
        $commit = new GroupCommit(
            Buffer::fromArray(['path' => $directory->file('spool'), 'buckets' => ['dead' => []]]),
            self::createStub(RequestHandler::class),
            new StreamSelectLoop,
            new TimedClock,
            new MetricsRegistry,
            self::fail(...),
        );
        $pending = new PendingRequest(
            (new ReflectionClass(Connection::class))->newInstanceWithoutConstructor(),
            'POST',
            true,
            0,
        );
        $letters = new DeadLetters('dead', '{"letter":"the last one"}', 1);
        $response = new Response(422, '');
        $request = new Request('POST', '/v1/events', '', [], '', '127.0.0.1');

        $commit->add(new IngestResult($response, deadLetters: $letters), $pending, $request);
        self::assertSame([$response, false], [$pending->response, self::holds($directory, $letters->lines)]);
        $commit->close();
        self::assertTrue(self::holds($directory, $letters->lines));
        $directory->remove();
    }

    private static function holds(TemporaryDirectory $directory, string $line): bool
    {
        $files = new RecursiveDirectoryIterator($directory->path, FilesystemIterator::SKIP_DOTS);

        foreach (new RecursiveIteratorIterator($files) as $file) {
            if (
                $file instanceof SplFileInfo
                && str_contains((string) file_get_contents($file->getPathname()), $line)
            ) {
                return true;
            }
        }

        return false;
    }
}
