<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Tests\Fault\Support\RedisTestCase;
use PHPUnit\Framework\Attributes\Test;

/**
 * A bucket in Redis, from the append to the database.
 */
final class RedisStoreTest extends RedisTestCase
{
    #[Test]
    public function what_is_appended_arrives_once_and_leaves_the_stream(): void
    {
        $this->world->append(['a1', 'a2', 'a3']);
        $this->assertAccounts(accepted: 3, delivered: 0, pending: 3);

        self::assertSame(3, $this->flush()->delivered);
        $this->assertDeliveredOnce(['a1', 'a2', 'a3']);
        self::assertSame(0, $this->redis->ask('XLEN', '{spool:events}:log'));
        self::assertSame(0, $this->flush()->delivered);
        $this->assertDeliveredOnce(['a1', 'a2', 'a3']);
        self::assertDirectoryDoesNotExist("{$this->world->directory}/buffer");
    }
}
