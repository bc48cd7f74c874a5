<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Fpm;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmProbe;
use Headroom\Host\Fpm\Address;
use Headroom\Tests\Unit\Doctor\Support\WebServers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class FpmPoolTest extends TestCase
{
    #[Test]
    public function a_pool_that_is_asked_again_is_asked_by_the_same_means(): void
    {
        $machine = new WebServers;
        $pool = $machine->fpm(['www' => []], runtime: ['ini' => ['memory_limit' => '77M']])->pools[0];

        self::assertSame('77M', $pool->runtime()->ini('memory_limit')?->value);
        self::assertSame('77M', $pool->again()->runtime()->ini('memory_limit')?->value);
    }

    #[Test]
    public function pools_of_which_only_the_address_is_known_are_not_of_one_php_fpm(): void
    {
        $pools = (new FpmProbe)->at([Address::parse('/nowhere/a.sock'), Address::parse('/nowhere/b.sock')], []);

        self::assertCount(2, $pools->ofEachMaster());
        self::assertSame(
            '/nowhere/a.sock',
            (new FpmProbe)->at([Address::parse('/nowhere/a.sock')], [])->serving('/srv')?->name(),
        );

        // It may be either.
        $this->expectException(FactUnavailable::class);
        $pools->serving('/srv');
    }

    #[Test]
    public function pools_of_one_php_fpm_are_told_from_those_of_another(): void
    {
        $pools = (new WebServers)->fpm(['a' => [], 'b' => [], 'c' => []], masters: ['c' => 90]);

        self::assertSame(
            ['a', 'c'],
            array_map(static fn (FpmPool $pool): string => $pool->name(), $pools->ofEachMaster()),
        );
    }

    #[Test]
    public function the_log_of_a_php_fpm_elsewhere_is_unknown(): void
    {
        try {
            (new FpmProbe)->at([Address::parse('/nowhere/a.sock')], [])->pools[0]->log();
            self::fail('There is no log to read.');
        } catch (FactUnavailable $e) {
            self::assertStringContainsString('/nowhere/a.sock', $e->getMessage());
            self::assertStringStartsWith('sudo headroom doctor', $e->command);
        }
    }

    /** @return iterable<string, array{array<string, string>, string}> settings, and what the message names */
    public static function logs(): iterable
    {
        yield 'nowhere' => [[], 'PHP-FPM'];
        yield 'to the system' => [['error_log' => 'syslog'], ' syslog'];
        yield 'too little' => [['error_log' => '/var/log/fpm.log', 'log_level' => 'error'], 'log_level'];
    }

    /** @param array<string, string> $global */
    #[Test]
    #[DataProvider('logs')]
    public function a_log_that_tells_nothing_names_the_command_that_shows_its_path(array $global, string $shown): void
    {
        try {
            (new WebServers)->fpm(['www' => []], $global)->pools[0]->log();
            self::fail('There is no log to read.');
        } catch (FactUnavailable $e) {
            self::assertStringContainsString($shown, $e->getMessage());
            self::assertSame(
                "sudo /proc/70/exe -tt -y '/etc/php-fpm-70.conf' 2>&1 | grep -e 'error_log =' -e 'log_level ='",
                $e->command,
            );
        }
    }
}
