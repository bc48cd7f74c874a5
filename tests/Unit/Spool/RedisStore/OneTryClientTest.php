<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\RedisStore;

use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Client\OneTryClient;
use Headroom\Spool\RedisStore\Client\RedisFailure;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class OneTryClientTest extends TestCase
{
    #[Test]
    public function a_server_that_does_not_answer_is_asked_once(): void
    {
        $asked = self::asked(RedisFailure::replyLost('timeout'));

        self::assertSame(1, $asked);
        self::assertSame(1, self::asked(RedisFailure::notReached('refused')));
    }

    #[Test]
    public function a_server_that_answers_with_an_error_is_asked_again(): void
    {
        self::assertSame(3, self::asked(RedisFailure::refused('OOM out of memory')));
    }

    /** @return int how many of three commands reached the server */
    private static function asked(RedisFailure $failure): int
    {
        $server = new class($failure) implements Client
        {
            public int $asked = 0;

            public function __construct(private readonly RedisFailure $failure) {}

            public function script(string $script, array $keys, array $arguments = []): mixed
            {
                return $this->fail();
            }

            public function command(string $key, array $command): mixed
            {
                return $this->fail();
            }

            public function key(string $key): string
            {
                $this->fail();
            }

            private function fail(): never
            {
                $this->asked++;

                throw $this->failure;
            }
        };
        $client = new OneTryClient($server);

        foreach ([
            static fn (): mixed => $client->command('a', ['GET', 'a']),
            static fn (): mixed => $client->script('return 1', ['a']),
            static fn (): string => $client->key('a'),
        ] as $ask) {
            try {
                $ask();
                self::fail('It answers.');
            } catch (RedisFailure $e) {
                self::assertSame($failure, $e);
            }
        }

        return $server->asked;
    }
}
