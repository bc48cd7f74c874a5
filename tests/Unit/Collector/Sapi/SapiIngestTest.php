<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Sapi;

use Headroom\Collector\DeadLetters;
use Headroom\Collector\RequestHandler;
use Headroom\Collector\Sapi\SapiIngest;
use Headroom\Collector\Server\Metrics\SapiCounters;
use Headroom\Process\TemporaryDirectory;
use Headroom\Spool\Buffer;
use Headroom\Tests\Support\TimedClock;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class SapiIngestTest extends TestCase
{
    #[Test]
    public function dead_letters_that_the_buffer_refuses_are_logged_and_counted(): void
    {
        $directory = TemporaryDirectory::create('sapi');
        $directory->write('spool', 'a file in the place of the buffer');
        $counters = new SapiCounters($directory->file('counters'));
        $logged = [];
        $log = static function (string $message) use (&$logged): void {
            $logged[] = $message;
        };
        $ingest = new SapiIngest(
            self::createStub(RequestHandler::class),
            Buffer::fromArray(['path' => $directory->file('spool')]),
            new TimedClock,
            $log,
            $counters,
        );

        $ingest->storeDeadLetters(new DeadLetters('dead', "{}\n{}", 2));

        $sum = $counters->sum();
        self::assertCount(1, $logged);
        self::assertStringContainsString($directory->file('spool'), $logged[0]);
        self::assertSame([2], array_values($sum));
        self::assertStringStartsWith('headroom_events_refused_total{reason="', (string) array_key_first($sum));
        $directory->remove();
    }
}
