<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Server;

use Headroom\Collector\Request;
use Headroom\Collector\Server\Home;
use Headroom\Collector\Server\Probes;
use Headroom\Collector\Server\Readiness;
use Headroom\Core\SystemClock;
use Headroom\Host\TemporaryDirectory;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class ReadinessTest extends TestCase
{
    /** How large the disk is and how much waits is for operators. */
    #[Test]
    public function only_operators_are_told_sizes_and_names_of_buckets(): void
    {
        $directory = TemporaryDirectory::create('readiness');
        $home = new Home($directory->path, 0o700, 0o600);
        $home->make();
        $home->write('spool', ['at' => time(), 'buckets' => ['secret' => ['bytes' => 12_345, 'events' => 1]]]);

        foreach ([PHP_INT_MAX => null, 0 => 100] as $reserve => $highWater) {
            $readiness = new Readiness($home, new SystemClock, 'secret', $reserve, $highWater);
            $public = (new Probes($readiness, null))(new Request('GET', '/readyz', ''));
            $admin = (new Probes($readiness, static fn (): string => ''))(new Request('GET', '/readyz', ''));

            self::assertSame([503, 503], [$public?->status, $admin?->status]);
            self::assertSame(0, preg_match('/secret|\d/', self::detail($public->body ?? '')));
            self::assertSame(1, preg_match('/\d/', self::detail($admin->body ?? '')));
        }

        $directory->remove();
    }

    private static function detail(string $body): string
    {
        $problem = json_decode($body, true);

        return is_array($problem) && is_string($problem['detail'] ?? null) ? $problem['detail'] : self::fail($body);
    }
}
