<?php

declare(strict_types=1);

namespace Headroom\Laravel\Log;

use Closure;
use Headroom\Spool\Bucket;
use Headroom\Spool\Buffer;
use Headroom\Support\ConfigReader;
use Headroom\Support\HostName;
use Headroom\Support\InvalidConfig;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Log\Logger as ChannelLogger;
use Illuminate\Log\LogManager;
use LogicException;
use Monolog\Handler\GroupHandler;
use Monolog\Handler\HandlerInterface;
use Monolog\Level;
use Monolog\Logger;
use Monolog\Processor\PsrLogMessageProcessor;

/**
 * Makes a channel of config/logging.php with the driver `spool`.
 *
 * @internal
 */
final readonly class SpoolChannel
{
    private const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

    /** Laravel reads `tap` and `action_level` itself. */
    private const KEYS = [
        'driver', 'name', 'bucket', 'level', 'bubble', 'source', 'fallback', 'replace_placeholders', 'tap',
    ];

    /**
     * @param array<array-key, mixed> $config
     *
     * @throws InvalidConfig Laravel uses its emergency log then
     */
    public static function logger(Application $app, array $config): Logger
    {
        $options = (new ConfigReader($config, 'logging.channels.'.self::name($app, $config)))->only(self::KEYS);
        $bucket = Bucket::validName($options->string('bucket', 'logs'));
        $handler = new SpoolHandler(
            // Resolved for each record, because a test may replace the buffer by a fake.
            static fn (): Bucket => $app->make(Buffer::class)->bucket($bucket),
            self::level($options->oneOf('level', self::LEVELS, 'debug')),
            $options->bool('bubble', true),
            $options->optionalString('source') ?? self::source($app),
            self::fallback($app, $options->optionalString('fallback')),
        );

        return new Logger(
            $options->optionalString('name') ?? (string) $app->environment(),
            [$handler],
            $options->bool('replace_placeholders', false) ? [new PsrLogMessageProcessor] : [],
        );
    }

    private static function level(string $name): Level
    {
        foreach (Level::cases() as $level) {
            if ($level->toPsrLogLevel() === $name) {
                return $level;
            }
        }

        return Level::Debug;
    }

    /** @return ?Closure(): HandlerInterface */
    private static function fallback(Application $app, ?string $channel): ?Closure
    {
        return $channel === null ? null : static function () use ($app, $channel): HandlerInterface {
            $logger = $app->make(LogManager::class)->channel($channel);
            $monolog = $logger instanceof ChannelLogger ? $logger->getLogger() : $logger;

            return $monolog instanceof Logger
                ? new GroupHandler($monolog->getHandlers())
                : throw new LogicException("The channel '{$channel}' has no handlers of Monolog.");
        };
    }

    private static function source(Application $app): string
    {
        $name = $app->make(Repository::class)->get('app.name');

        // CloudEvents requires a URI reference.
        return rawurlencode(is_string($name) && $name !== '' ? $name : 'laravel').'/'.rawurlencode(HostName::own());
    }

    /**
     * Finds the name of the channel, which Laravel does not pass to the driver.
     *
     * @param array<array-key, mixed> $config
     */
    private static function name(Application $app, array $config): string
    {
        $channels = $app->make(Repository::class)->get('logging.channels');

        return (string) array_search($config, is_array($channels) ? $channels : [], true);
    }
}
