<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Closure;
use Headroom\Core\FaultPoint;
use Headroom\Core\SystemClock;
use Headroom\Laravel\Database\OpenTransactionDetector;
use Headroom\Sink\Database\DatabaseSink;
use Headroom\Sink\DetectsOpenTransactions;
use Headroom\Sink\File\FileSink;
use Headroom\Sink\Sink;
use Headroom\Support\ConfigReader;
use Illuminate\Database\ConnectionResolverInterface;

final readonly class FaultSinks implements DetectsOpenTransactions
{
    public function __construct(private ConnectionResolverInterface $connections, private FaultPoint $faultPoint) {}

    public function make(string $kind, ConfigReader $options): Sink
    {
        return match ($kind) {
            'database' => new DatabaseSink(
                $this->connections,
                null,
                $options->string('table'),
                new SystemClock,
                $this->faultPoint,
            ),
            'file' => new PointedSink(
                FileSink::fromOptions($options),
                $this->faultPoint,
                $options->string('path').'.deliveries',
            ),
            'picky' => new PointedSink(
                new PickySink(FileSink::fromOptions($options)),
                $this->faultPoint,
                $options->string('path').'.deliveries',
            ),
            'each' => new EachSink(
                new PointedSink(
                    FileSink::fromOptions($options),
                    $this->faultPoint,
                    $options->string('path').'.deliveries',
                ),
                $options->string('path').'.repaired',
            ),
            'partly' => new PartlySink(
                FileSink::fromOptions($options),
                $this->faultPoint,
                $options->string('path').'.deliveries',
            ),
            default => new BrokenSink,
        };
    }

    public function watch(): Closure
    {
        return (new OpenTransactionDetector($this->connections))->since();
    }
}
