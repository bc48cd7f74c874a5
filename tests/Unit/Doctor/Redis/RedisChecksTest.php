<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Redis;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Kernel\Sysctl;
use Headroom\Doctor\Redis\Checks\EvictsLastingKeys;
use Headroom\Doctor\Redis\Checks\MemoryOvercommit;
use Headroom\Doctor\Redis\RedisInfo;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Status;
use Headroom\Tests\Unit\Doctor\Kernel\Machine;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class RedisChecksTest extends TestCase
{
    /** @return iterable<string, array{?string, string, int, Status, int}> disable-thp, pages, overcommit, commands */
    public static function pages(): iterable
    {
        yield 'Redis before 6.2' => [null, 'always', 1, Status::Warn, 1];
        yield 'Redis that uses huge pages' => ['no', 'always', 1, Status::Warn, 1];
        yield 'Redis that disables huge pages' => ['yes', 'always', 1, Status::Pass, 0];
        yield 'madvise' => [null, 'madvise', 1, Status::Pass, 0];
        yield 'overcommit only' => ['yes', 'always', 0, Status::Warn, 1];
        yield 'both' => ['no', 'always', 0, Status::Warn, 2];
    }

    #[Test]
    #[DataProvider('pages')]
    public function huge_pages_count_unless_redis_disables_them(
        ?string $disables,
        string $pages,
        int $overcommit,
        Status $status,
        int $commands,
    ): void {
        $machine = Machine::create()
            ->has('/sys/kernel/mm/transparent_hugepage/enabled', "[{$pages}] other\n")
            ->has('/proc/sys/vm/overcommit_memory', "{$overcommit}\n");
        $sysctl = new Sysctl($machine->files());
        $settings = ['save' => '3600 1', 'appendonly' => 'no']
            + ($disables === null ? [] : ['disable-thp' => $disables]);
        $finding = (new MemoryOvercommit)->examine(
            new RedisServer('tcp://127.0.0.1:6379', config: $settings),
            new Facts([Sysctl::class => static fn (): Sysctl => $sysctl]),
        );

        $machine->remove();
        self::assertSame($status, $finding->status, $finding->message);
        self::assertCount($commands, $finding->fix->commands ?? []);
        self::assertSame(
            $status !== Status::Pass && $pages === 'always' && $disables !== 'yes',
            str_contains($finding->fix->rollback ?? '', 'transparent_hugepage'),
        );
    }

    /** @return iterable<string, array{list<string>, string, int, Status}> uses, policy, evicted keys */
    public static function policies(): iterable
    {
        yield 'jobs, any key' => [['queue'], 'allkeys-lru', 0, Status::Fail];
        yield 'jobs, keys with a time to live' => [['queue', 'cache'], 'volatile-lru', 7, Status::Pass];
        yield 'sessions, keys with a time to live' => [['session', 'queue'], 'volatile-lru', 0, Status::Fail];
        yield 'sessions, no key' => [['session'], 'noeviction', 0, Status::Pass];
        yield 'sessions, no key now, and some before' => [['session'], 'noeviction', 3, Status::Fail];
        yield 'the cache' => [['cache'], 'allkeys-lru', 9, Status::Skipped];
    }

    /** @param list<string> $uses */
    #[Test]
    #[DataProvider('policies')]
    public function a_policy_is_judged_by_the_keys_that_it_removes(
        array $uses,
        string $policy,
        int $evicted,
        Status $status,
    ): void {
        $info = RedisInfo::parse("maxmemory:1000000\r\nmaxmemory_policy:{$policy}\r\nevicted_keys:{$evicted}\r\n");
        $finding = self::evicts(new RedisServer('tcp://127.0.0.1:6379', $uses, $info));

        self::assertSame($status, $finding->status, $finding->message);
    }

    #[Test]
    public function only_what_may_be_evicted_is_named_as_lost(): void
    {
        $info = RedisInfo::parse("maxmemory:1000000\r\nmaxmemory_policy:allkeys-lru\r\nevicted_keys:1\r\n");
        $lost = static fn (string ...$uses): array => array_map(
            static fn (string $word): bool => str_contains(
                self::evicts(new RedisServer('tcp://127.0.0.1:6379', array_values($uses), $info))->consequence,
                $word,
            ),
            ['logged out', 'obs vanish'],
        );

        self::assertSame([true, false], $lost('session', 'cache'));
        self::assertSame([false, true], $lost('queue'));
        self::assertSame([true, true], $lost('session', 'queue'));
    }

    private static function evicts(RedisServer $server): Finding
    {
        return (new EvictsLastingKeys)->examine($server, new Facts([]));
    }
}
