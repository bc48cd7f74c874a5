<?php

declare(strict_types=1);

namespace Headroom\Laravel;

use Headroom\Core\Clock;
use Headroom\Core\InvalidConfig;
use Headroom\Core\Options;
use Headroom\Sink\Database\DatabaseSink;
use Headroom\Sink\File\FileSink;
use Headroom\Sink\Http\HttpSink;
use Headroom\Sink\Sink;
use Headroom\Sink\SinkFactory;
use Illuminate\Database\ConnectionResolverInterface;

/**
 * @internal
 */
final readonly class LaravelSinks implements SinkFactory
{
    public function __construct(private ConnectionResolverInterface $connections, private Clock $clock) {}

    public function make(string $kind, Options $options): Sink
    {
        return match ($kind) {
            'database' => DatabaseSink::fromOptions($this->connections, $options, $this->clock),
            'file' => FileSink::fromOptions($options),
            'http' => HttpSink::fromOptions($options, $this->clock),
            default => throw InvalidConfig::notAllowed("{$options->path}.sink", $kind, 'one of database, file, http'),
        };
    }
}
