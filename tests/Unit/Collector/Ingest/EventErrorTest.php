<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use Headroom\Collector\Ingest\Authentication\ApiKey;
use Headroom\Collector\Ingest\IngestSettings;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

final class EventErrorTest extends IngestTestCase
{
    /**
     * @param string $good what is among the events that are wrong
     * @param list<int> $statuses
     */
    #[Test]
    #[TestWith(['', [422, 429]])]
    #[TestWith(['{"type":"t"},', [202, 429]])]
    public function events_that_are_not_taken_count_for_the_rate_and_fill_no_bucket(string $good, array $statuses): void
    {
        $harness = $this->harness(new IngestSettings(deadBucket: 'dead'));
        $headers = [
            'content-type' => 'application/json',
            'authorization' => 'Bearer '.$harness->key(new ApiKey('', 'partner', rate: 10)),
        ];
        $seen = [];
        $dead = 0;

        for ($request = 0; $request < 20; $request++) {
            $result = $harness->post("[{$good}1,2,3,4,5]", $headers);
            $seen[$result->response->status] = true;
            $dead += $result->deadLetters->count ?? 0;
        }

        self::assertSame($statuses, array_keys($seen));
        self::assertLessThanOrEqual(10, $dead);
        self::assertGreaterThan(0, $dead);
        self::refused(413, 'batch_exceeds_rate', $harness->post('[1,2,3,4,5,6,7,8,9,10,11]', $headers));
    }
}
