<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Transport;

use Headroom\Load\Transport\HostResolver;
use Headroom\Load\Transport\UnableToExchange;
use Headroom\Tests\Unit\Support\ManualClock;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class HostResolverTest extends TestCase
{
    private ManualClock $clock;

    private int $lookups = 0;

    /** The address that a lookup returns. */
    private string $address = '192.0.2.1';

    private HostResolver $names;

    protected function setUp(): void
    {
        $this->clock = new ManualClock;
        // Slow, as one is whose servers do not answer.
        $this->names = new HostResolver($this->clock, function (string $host): array {
            $this->lookups++;
            $this->clock->sleep(5_000_000);

            return $this->address === ''
                ? throw UnableToExchange::notResolved($host, 'no such name')
                : [$this->address, '192.0.2.9', '[2001:db8::1]'];
        });
    }

    #[Test]
    public function a_name_is_looked_up_once(): void
    {
        self::assertSame($this->names->addresses('shop.test'), $this->names->addresses('shop.test'));
        self::assertSame(1, $this->lookups);
    }

    #[Test]
    public function a_slow_lookup_that_found_nothing_is_not_made_again_for_each_request(): void
    {
        $this->address = '';
        $expected = UnableToExchange::notResolved('shop.test', 'no such name')->getMessage();
        self::assertSame([$expected, $expected], [$this->failure(), $this->failure()]);
        self::assertSame(1, $this->lookups);
        $this->clock->sleep(49_000_000);
        $this->failure();
        self::assertSame(1, $this->lookups, 'A lookup of five seconds a second later would be all that is done.');
        $this->clock->sleep(1_000_001);
        $this->address = '192.0.2.2';

        self::assertSame('192.0.2.2', $this->names->addresses('shop.test')[0]);
    }

    #[Test]
    public function a_name_whose_addresses_do_not_answer_is_looked_up_again_once(): void
    {
        $this->names->addresses('shop.test');
        $this->names->doubt('shop.test');
        $this->names->addresses('shop.test');
        self::assertSame(1, $this->lookups);
        $this->clock->sleep(50_000_001);
        $this->names->addresses('shop.test');
        self::assertSame(2, $this->lookups);
        $this->clock->sleep(50_000_001);
        $this->names->addresses('shop.test');

        self::assertSame(2, $this->lookups, 'The name was not doubted since.');
    }

    #[Test]
    public function an_address_that_was_known_is_tried_when_the_name_is_not_any_more(): void
    {
        $this->names->addresses('shop.test');
        $this->clock->sleep(50_000_001);
        $this->names->doubt('shop.test');
        $this->address = '';

        self::assertSame('192.0.2.1', $this->names->addresses('shop.test')[0]);
        self::assertSame(2, $this->lookups);
    }

    #[Test]
    public function an_address_that_answers_comes_first_and_a_silent_one_last(): void
    {
        $this->names->addresses('shop.test');
        $this->names->prefer('shop.test', '192.0.2.9');
        self::assertSame(['192.0.2.9', '192.0.2.1', '[2001:db8::1]'], $this->names->addresses('shop.test'));
        $this->names->avoid('shop.test', '192.0.2.9');
        // Many time out together, and the next one is not to be avoided for it.
        $this->names->avoid('shop.test', '192.0.2.9');

        self::assertSame(['192.0.2.1', '[2001:db8::1]', '192.0.2.9'], $this->names->addresses('shop.test'));
    }

    #[Test]
    public function localhost_and_addresses_are_known(): void
    {
        $names = new HostResolver($this->clock);

        self::assertSame(
            [['127.0.0.1', '[::1]'], ['127.0.0.1', '[::1]'], ['192.0.2.3'], ['[2001:db8::2]']],
            array_map($names->addresses(...), ['localhost', 'Shop.LOCALHOST', '192.0.2.3', '2001:db8::2']),
        );
    }

    private function failure(): string
    {
        try {
            return $this->names->addresses('shop.test')[0];
        } catch (UnableToExchange $e) {
            return $e->getMessage();
        }
    }
}
