<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Doctor\Fpm\Runtime\OpcacheStatus;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Why a healthy opcache finds little while it is young.
 */
final class OpcacheWarmupTest extends TestCase
{
    private const REQUESTS = 50;

    /** @return iterable<string, array{int, list<string>, bool}> age of the file, php.ini, whether it is kept */
    public static function files(): iterable
    {
        // So that the test needs not be done within two seconds the file is of the next hour.
        yield 'a file that was just written' => [-3600, [], false];
        yield 'a file that was written before' => [3600, [], true];
        yield 'a file that was just written, and nothing to protect it from' => [
            -3600, ['opcache.file_update_protection=0'], true,
        ];
    }

    /** @param list<string> $ini */
    #[Test, Group('day-3')]
    #[DataProvider('files')]
    public function a_file_is_compiled_at_each_request_until_it_is_two_seconds_old(
        int $age,
        array $ini,
        bool $isKept,
    ): void {
        $stack = new Stack(ini: $ini);
        touch($stack->path('index.php'), time() - $age);
        $before = self::opcache($stack)->misses;

        for ($request = 0; $request < self::REQUESTS; $request++) {
            self::assertSame('served', $stack->get());
        }

        $missed = (int) self::opcache($stack)->misses - (int) $before;
        // Each process may look once in vain, and what asks is a file that was just written, too.
        $isKept ? self::assertLessThanOrEqual(4 + 1, $missed) : self::assertSame(self::REQUESTS + 1, $missed);
    }

    #[Test, Group('day-1')]
    public function a_real_one_tells_its_age(): void
    {
        self::assertNotNull(self::opcache(new Stack)->ageSeconds);
    }

    private static function opcache(Stack $stack): OpcacheStatus
    {
        return $stack->pools()->pools[0]->runtime()->opcache ?? self::fail('opcache tells nothing.');
    }
}
