<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Console\Spool\FlushCommand;
use Headroom\Tests\Laravel\Support\SpoolTestCase;
use PHPUnit\Framework\Attributes\Test;

/**
 * Strings that are not UTF-8, in a bucket that says nothing of them, for a table with a column of bytes.
 */
final class BinaryColumnTest extends SpoolTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $this->spool->database()->statement('alter table api_events add column hash blob');
    }

    #[Test]
    public function bytes_that_were_altered_are_a_dead_letter_and_no_row(): void
    {
        $this->add('text', null);
        $this->add("broken \xFF text", 'ascii');
        $this->add('hash', "\xFF\x00\xFE");
        $this->add('last', null);
        $flush = $this->spool->run(FlushCommand::class, ['--json' => true]);

        self::assertSame(
            ['text', "broken \u{FFFD} text", 'last'],
            $this->spool->database()->table('api_events')->orderBy('id')->pluck('event')->all(),
        );
        self::assertSame(
            [0, 3, 1],
            [$flush->exit, $this->spool->status()['delivered'], $this->spool->status()['letters']],
        );
    }

    #[Test]
    public function a_flood_of_them_stops_no_bucket(): void
    {
        for ($n = 0; $n < 120; $n++) {
            $this->add("{$n}", "\xFF");
        }

        $this->add('last', null);
        self::assertSame(0, $this->spool->run(FlushCommand::class)->exit);
        self::assertSame([1, 120], [$this->spool->status()['delivered'], $this->spool->status()['letters']]);
    }

    #[Test]
    public function a_bucket_that_keeps_bytes_delivers_them_as_they_are(): void
    {
        $this->spool->buckets = ['api-events' => ['sink' => 'database', 'table' => 'api_events', 'utf8' => 'binary']];
        $this->add('hash', "\xFF\x00\xFE");

        self::assertSame(0, $this->spool->run(FlushCommand::class)->exit);
        self::assertSame(
            ['ff00fe'],
            array_map(
                static fn (mixed $hash): string => is_string($hash) ? bin2hex($hash) : '',
                $this->spool->database()->table('api_events')->pluck('hash')->all(),
            ),
        );
    }

    private function add(string $event, ?string $hash): void
    {
        $this->spool->runtime()->buffer()->bucket('api-events')->add(['event' => $event, 'hash' => $hash]);
    }
}
