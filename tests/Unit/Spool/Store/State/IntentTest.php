<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Store\State;

use Headroom\Core\Position;
use Headroom\Spool\Store\State\Intent;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class IntentTest extends TestCase
{
    private Intent $intent;

    protected function setUp(): void
    {
        $this->intent = new Intent(new Position(2, 100, 0), 'file:x', new Position(2, 0, 0), true);
    }

    #[Test]
    public function a_delivery_inside_the_range_leaves_it_announced(): void
    {
        self::assertEquals($this->intent, $this->intent->deliveredTo(new Position(2, 99, 5)));
    }

    #[Test]
    public function a_delivery_to_its_end_takes_it_back_and_keeps_its_sink(): void
    {
        self::assertEquals(
            new Intent(for: 'file:x', isUnderWay: true),
            $this->intent->deliveredTo(new Position(2, 100, 0)),
        );
    }

    #[Test]
    public function an_answer_ends_what_is_under_way_and_nothing_else(): void
    {
        self::assertEquals(
            new Intent(new Position(2, 100, 0), 'file:x', new Position(2, 0, 0)),
            $this->intent->answered(),
        );
    }
}
