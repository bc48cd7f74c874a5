<?php

declare(strict_types=1);

namespace Headroom\Laravel\Sinks;

use Closure;
use Headroom\Core\Clock;
use Headroom\Laravel\Database\OpenTransactionDetector;
use Headroom\Sink\Callback\BatchHandlerSink;
use Headroom\Sink\ClickHouse\ClickHouseSink;
use Headroom\Sink\Database\DatabaseSink;
use Headroom\Sink\Database\Dialect\DatabaseError;
use Headroom\Sink\DetectsOpenTransactions;
use Headroom\Sink\Elasticsearch\ElasticsearchSink;
use Headroom\Sink\File\FileSink;
use Headroom\Sink\Http\HttpSink;
use Headroom\Sink\Memory\Arrivals;
use Headroom\Sink\Memory\MemorySink;
use Headroom\Sink\Sink;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use Illuminate\Container\Container as LaravelContainer;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Container\Container;
use Illuminate\Database\ConnectionResolverInterface;
use LogicException;
use Throwable;

/**
 * Makes the sinks of an application, with its database connections and its container.
 *
 * @internal
 */
final readonly class LaravelSinkFactory implements DetectsOpenTransactions
{
    private const DRIVERS = ['database', 'file', 'handler', 'http', 'elasticsearch', 'clickhouse', 'memory'];

    public function __construct(
        private ConnectionResolverInterface $connections,
        private Clock $clock,
        private Container $container = new LaravelContainer,
    ) {}

    public function make(string $kind, ConfigReader $options): Sink
    {
        $added = $this->container->bound(SinkDrivers::class) ? SinkDrivers::of($this->container) : null;

        return $added?->make($kind, $options, $this->container) ?? match ($kind) {
            'database' => DatabaseSink::fromOptions($this->connections, $options, $this->clock),
            'file' => FileSink::fromOptions($options),
            'handler' => BatchHandlerSink::fromOptions(
                $options,
                fn (string $handler): object => $this->create($handler),
                SmtpRefusal::reason(...),
                // The message of a failed query has its values.
                static fn (Throwable $e): string => DatabaseError::isDriverError($e)
                    ? DatabaseError::reason($e)
                    : $e->getMessage(),
            ),
            'http' => HttpSink::fromOptions($options, $this->clock),
            'elasticsearch' => ElasticsearchSink::fromOptions($options, $this->clock),
            'clickhouse' => ClickHouseSink::fromOptions($options, $this->clock),
            'memory' => MemorySink::fromOptions($this->container->make(Arrivals::class), $options),
            default => CustomSink::create($kind, $this->container, $options)
                ?? throw InvalidConfig::notAllowed($options->key('sink'), $kind, $this->allowed()),
        };
    }

    private function allowed(): string
    {
        $config = $this->container->bound('config') ? $this->container->make('config') : null;
        $sinks = $config instanceof Repository
            ? implode(', ', array_keys((array) $config->get('spool.sinks', [])))
            : '';
        $drivers = implode(', ', [...self::DRIVERS, ...SinkDrivers::of($this->container)->names()]);

        return ($sinks === '' ? '' : "a sink of spool.sinks ({$sinks}), ")
            ."a driver ({$drivers}), or the name of a class that implements ".Sink::class;
    }

    public function watch(): Closure
    {
        return (new OpenTransactionDetector($this->connections))->since();
    }

    private function create(string $class): object
    {
        $made = $this->container->make($class);

        return is_object($made)
            ? $made
            : throw new LogicException('It is bound to '.get_debug_type($made).', which is not an object.');
    }
}
