<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Fpm;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\Config\FpmParseIssue;
use Headroom\Doctor\Fpm\Config\UnreadableConfig;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Status;
use Headroom\Tests\Unit\Doctor\Support\WebServers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Which pool nginx sends requests to: one that was found, none of this machine, or it cannot be told.
 */
#[Group('doctor')]
final class PoolBehindAddressTest extends TestCase
{
    private const UNKNOWN = 'unknown';

    private WebServers $machine;

    protected function setUp(): void
    {
        $this->machine = new WebServers;
    }

    /**
     * @return iterable<string, array{string, ?string, ?string}> address, what it is where all was read,
     *     and where one PHP-FPM was not
     */
    public static function addresses(): iterable
    {
        yield 'a socket' => ['unix:%ROOT%/www.sock', 'www', 'www'];
        yield 'a socket by a link' => ['unix:%ROOT%/link.sock', 'www', 'www'];
        yield 'another socket' => ['unix:/run/fcgiwrap.socket', null, self::UNKNOWN];
        yield 'a port' => ['127.0.0.1:9000', 'tcp', 'tcp'];
        yield 'a port of localhost' => ['localhost:9000', 'tcp', 'tcp'];
        yield 'a port of another loopback address' => ['[::1]:9000', self::UNKNOWN, self::UNKNOWN];
        yield 'that port of a name' => ['php.internal:9000', self::UNKNOWN, self::UNKNOWN];
        yield 'that port of an address' => ['192.168.0.7:9000', self::UNKNOWN, self::UNKNOWN];
        yield 'another port' => ['127.0.0.1:9001', null, self::UNKNOWN];
        yield 'another machine' => ['10.0.0.5:9001', self::UNKNOWN, self::UNKNOWN];
        yield 'a variable' => ['$backend', self::UNKNOWN, self::UNKNOWN];
        yield 'a socket with a variable' => ['unix:/run/php/$pool.sock', self::UNKNOWN, self::UNKNOWN];
        yield 'a name without a port' => ['php', self::UNKNOWN, self::UNKNOWN];
    }

    #[Test]
    #[DataProvider('addresses')]
    public function an_address_is_of_a_pool_of_none_or_cannot_be_told(
        string $address,
        ?string $all,
        ?string $some,
    ): void {
        touch($this->machine->path('www.sock'));
        symlink($this->machine->path('www.sock'), $this->machine->path('link.sock'));
        $address = str_replace('%ROOT%', dirname($this->machine->path('x')), $address);
        $pools = $this->machine->fpm(['www' => [], 'tcp' => ['listen' => '9000']])->pools;

        self::assertSame($all, self::at(new FpmPools($pools, [], []), $address));
        self::assertSame(
            $some,
            self::at(new FpmPools($pools, [9 => UnreadableConfig::noBinary(9, 'no rights')], []), $address),
        );
        self::assertSame(
            $some,
            self::at(new FpmPools($pools, [], [new FpmParseIssue('/a', 3, '/b.conf', 'no rights', true)]), $address),
        );
        self::assertSame(
            $all,
            self::at(new FpmPools($pools, [], [new FpmParseIssue('/a', 3, 'pm', 'it has two values')]), $address),
        );
    }

    #[Test]
    public function a_pool_whose_own_address_is_not_known_may_be_the_one(): void
    {
        $pools = $this->machine->fpm(['www' => [], 'odd' => ['listen' => 'var/odd.sock']]);

        self::assertSame('www', self::at($pools, $this->machine->path('www.sock')));
        self::assertSame(self::UNKNOWN, self::at($pools, '/srv/var/odd.sock'));
    }

    #[Test]
    public function one_pool_that_tells_nothing_takes_nothing_from_the_others(): void
    {
        $pools = $this->machine->fpm(['www' => [], 'odd' => []]);
        $examine = static fn (FpmPool $pool): Finding => $pool->name() === 'odd' ? throw FactUnavailable::because(
            'it is odd',
            'ls',
        ) : Finding::pass('well');
        $said = static fn (string $address): array => array_map(
            static fn (Finding $finding): array => [$finding->subject, $finding->status],
            $pools->behind($address, $examine),
        );

        self::assertSame([['pool www', Status::Pass]], $said($this->machine->path('www.sock')));
        self::assertSame([['pool odd', Status::Unknown]], $said($this->machine->path('odd.sock')));
        self::assertSame([], $said('/other.sock'));
        self::assertSame([['php:9000', Status::Unknown]], $said('php:9000'));
    }

    #[Test]
    public function of_one_php_fpm_that_was_read_another_may_serve_the_application(): void
    {
        $pools = $this->machine->fpm(['www' => []])->pools;
        self::assertSame('www', (new FpmPools($pools, [], []))->serving('/srv')?->name());

        $this->expectException(FactUnavailable::class);
        (new FpmPools($pools, [9 => UnreadableConfig::noBinary(9, 'no rights')], []))->serving('/srv');
    }

    private static function at(FpmPools $pools, string $address): ?string
    {
        try {
            return $pools->listeningAt($address)?->name();
        } catch (FactUnavailable $e) {
            self::assertNotSame('', $e->command);

            return self::UNKNOWN;
        }
    }
}
