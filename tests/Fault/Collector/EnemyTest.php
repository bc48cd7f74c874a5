<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Collector;

use Headroom\Tests\Acceptance\Collector\Support\Client;
use Headroom\Tests\Acceptance\Collector\Support\Handlers\Quitter;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * What a collector meets that somebody means ill, or has slipped.
 */
final class EnemyTest extends TestCase
{
    #[Test]
    #[TestWith(['spool/buckets/events/active'])]
    #[TestWith(['spool/buckets'])]
    #[TestWith(['spool'])]
    public function nothing_is_acknowledged_into_a_file_that_was_removed(string $what): void
    {
        $collector = Running::start(['workers' => 1]);
        $client = new Client($collector->address());

        // From the second on it keeps its file open.
        foreach (['a', 'b', 'c'] as $id) {
            self::assertSame(202, $client->event($id)->answer()[0]);
        }

        self::remove("{$collector->directory}/{$what}");
        self::assertSame([202, 202], [$client->event('d')->answer()[0], $client->event('e')->answer()[0]]);
        $ids = $collector->collected();
        sort($ids);
        self::assertSame(['d', 'e'], $ids);
    }

    #[Test]
    public function keys_that_can_not_be_read_are_no_reason_to_send_anybody_away(): void
    {
        $collector = Running::start(['workers' => 1, 'intake' => []]);
        $address = $collector->address();
        $made = json_decode($collector->command('collect:key', 'create', 'shop', '--json')[1], true);
        self::assertIsArray($made);
        self::assertIsString($made['key']);
        $file = "{$collector->directory}/spool/collector/keys.json";
        $good = (string) file_get_contents($file);
        file_put_contents($file, substr($good, 0, 40));

        [$status, $headers, $problem] = (new Client($address))->event('a', "Authorization: Bearer {$made['key']}\r\n")->answer();
        self::assertSame([503, true], [$status, str_contains($headers, 'Retry-After: ')]);
        self::assertStringContainsString('"code":"keys_unavailable"', $problem);
        self::assertStringNotContainsString($collector->directory, $problem);
        self::assertStringContainsString("{$file} are not understood", $collector->log());

        file_put_contents($file, $good);
        $collector->waitFor(static fn (): bool => (new Client($address))->event('b', "Authorization: Bearer {$made['key']}\r\n")->answer()[0] === 202);
        // The whole buffer goes away, as behind a mount, and comes back.
        rename("{$collector->directory}/spool/collector", "{$collector->directory}/aside");
        $collector->waitFor(static fn (): bool => (new Client($address))->event('c', "Authorization: Bearer nobody\r\n")->answer()[0] === 503);
        self::assertStringContainsString('the directory is gone', $collector->log());
        rename("{$collector->directory}/aside", "{$collector->directory}/spool/collector");
    }

    #[Test]
    public function a_body_that_comes_byte_by_byte_is_given_up(): void
    {
        $collector = Running::start(['workers' => 1, 'timeouts' => ['body_idle' => 2]]);
        $client = (new Client($collector->address()))->send("POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n");
        stream_set_blocking($client->stream, false);
        $answer = '';

        for ($times = 0; $times < 100 && $answer === ''; $times++) {
            $client->send(' ');
            usleep(100_000);
            $answer = (string) fread($client->stream, 8_192);
        }

        self::assertStringContainsString('408', substr($answer, 0, 12));
        self::assertStringContainsString('less than 1024 bytes in a second', $answer);
        self::assertSame(202, (new Client($collector->address()))->event('a')->answer()[0]);
    }

    #[Test]
    public function requests_that_end_their_worker_do_not_end_the_collector(): void
    {
        $collector = Running::start(['workers' => 1, 'handlers' => ['/quit' => Quitter::class]]);

        for ($times = 0; $times < 8; $times++) {
            self::assertSame(0, (new Client($collector->address()))->get('/quit')->answer()[0]);
            self::assertSame(202, (new Client($collector->address()))->event("e-{$times}")->answer()[0], $collector->log());
        }

        self::assertTrue($collector->isRunning());
        self::assertCount(8, $collector->collected());
        self::assertSame(8, substr_count($collector->log(), 'worker 1 ended; started again'));
    }

    private static function remove(string $path): void
    {
        foreach (is_dir($path) && ! is_link($path) ? array_diff((array) scandir($path), ['.', '..']) : [] as $name) {
            self::remove("{$path}/{$name}");
        }

        is_dir($path) ? @rmdir($path) : @unlink($path);
    }
}
