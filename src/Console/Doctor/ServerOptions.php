<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Closure;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\DatabaseWindow;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\FpmProbe;
use Headroom\Doctor\Redis\RedisAddress;
use Headroom\Doctor\Redis\RedisAddresses;
use Headroom\Doctor\UnderLoad\DatabaseAddress;
use Headroom\Doctor\UnderLoad\Samplers\DatabaseSampler;
use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\UnableToQueryPool;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/**
 * The servers that the command line names. They replace those that the doctor would find.
 *
 * @internal
 */
final readonly class ServerOptions
{
    public static function define(Command $command): void
    {
        $several = InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY;
        $command->addOption('fpm', null, $several, 'Examine only the pool at this address: a socket, or host:port')
            ->addOption(
                'redis',
                null,
                $several,
                'Examine this Redis: host:port, a socket, or redis://user@host:port; the password is in REDISCLI_AUTH',
            )
            ->addOption(
                'database',
                null,
                InputOption::VALUE_REQUIRED,
                'Examine this SQL server: mysql://user@host/database or pgsql://...; the password is in MYSQL_PWD or '
                    .'PGPASSWORD',
            );
    }

    /** @return array<class-string, Closure(Facts): object> */
    public static function probes(InputInterface $input): array
    {
        $fpm = array_map(self::pool(...), self::texts($input->getOption('fpm')));
        $redis = array_map(self::redis(...), self::texts($input->getOption('redis')));
        $database = array_map(self::database(...), self::texts($input->getOption('database')));

        return array_filter([
            FpmPools::class => $fpm === [] ? null : static fn (): FpmPools => (new FpmProbe)->at($fpm),
            RedisAddresses::class => $redis === [] ? null : static fn (): RedisAddresses => new RedisAddresses($redis),
            DatabaseServer::class => $database === [] ? null : static fn (): DatabaseServer => $database[0]->facts(),
            DatabaseSampler::class => $database === []
                ? null
                : static fn (Facts $facts): DatabaseSampler
                    => $database[0]->sampler($facts->get(DatabaseServer::class)),
            DatabaseWindow::class => $database === []
                ? null
                : static fn (Facts $facts): DatabaseWindow => $database[0]->window($facts->get(DatabaseServer::class)),
        ]);
    }

    private static function pool(string $text): Address
    {
        try {
            return Address::parse($text);
        } catch (UnableToQueryPool) {
            throw self::bad(
                'fpm',
                $text,
                'the path of a socket such as /run/php/php-fpm.sock, or host:port such as 127.0.0.1:9000',
            );
        }
    }

    private static function redis(string $text): RedisAddress
    {
        return RedisAddress::parse($text, self::environment('REDISCLI_AUTH')) ?? throw self::bad(
            'redis',
            $text,
            'host:port, the path of a socket, or redis://user@host:port (rediss:// with TLS)',
        );
    }

    private static function database(string $text): DatabaseAddress
    {
        return DatabaseAddress::parse($text, self::environment(...))
            ?? throw self::bad('database', $text, 'mysql://user@host:port/database or pgsql://user@host:port/database');
    }

    /** The text before the @ may contain a password, so it is not shown. */
    private static function bad(string $option, string $text, string $what): InvalidOptionException
    {
        return new InvalidOptionException(
            "--{$option} is '".TerminalText::name((string) preg_replace('~\A.*@~s', '...@', $text))
                ."'. It must be {$what}.",
        );
    }

    private static function environment(string $name): string
    {
        $value = getenv($name);

        return $value === false ? '' : $value;
    }

    /** @return list<string> */
    private static function texts(mixed $given): array
    {
        return array_values(array_filter((array) $given, is_string(...)));
    }
}
