<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Core\Record;
use Headroom\Sink\Memory\Arrivals;
use Headroom\Sink\Memory\MemorySink;
use Headroom\Sink\Sink;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use Headroom\Testing\Arrived;
use Headroom\Testing\AtLeastOnceContract;
use Headroom\Tests\Contract\Support\ObstructedSink;
use PHPUnit\Framework\Attributes\Test;

final class MemorySinkTest extends AtLeastOnceContract
{
    private Arrivals $arrivals;

    private bool $isObstructed = false;

    protected function setUp(): void
    {
        $this->arrivals = new Arrivals;
    }

    public function createSink(): Sink
    {
        return new ObstructedSink(
            MemorySink::fromOptions($this->arrivals, new ConfigReader([], 'spool.buckets.contract')),
            fn (): bool => $this->isObstructed,
        );
    }

    public function arrived(): array
    {
        return array_map(
            static fn (Record $record, string $id): Arrived => new Arrived($record->values, $id),
            $this->arrivals->of('contract'),
            $this->arrivals->idsOf('contract'),
        );
    }

    public function obstruct(): void
    {
        $this->isObstructed = true;
    }

    public function clear(): void
    {
        $this->isObstructed = false;
    }

    #[Test]
    public function arrivals_are_kept_by_bucket_until_they_are_cleared(): void
    {
        $this->deliver($this->createSink(), $this->log()->delivery([$this->row('a')]));

        self::assertSame([$this->row('a')], $this->arrivals->valuesOf('contract'));
        self::assertSame([], $this->arrivals->of('other'));
        $this->arrivals->clear();
        self::assertSame([], $this->arrivals->idsOf('contract'));
    }

    #[Test]
    public function it_has_no_settings(): void
    {
        $this->expectExceptionObject(InvalidConfig::unknownKey('spool.buckets.a.size', []));

        MemorySink::fromOptions($this->arrivals, new ConfigReader(['size' => 1], 'spool.buckets.a'));
    }
}
