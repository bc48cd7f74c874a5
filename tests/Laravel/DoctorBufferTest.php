<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use PHPUnit\Framework\Attributes\Test;

/**
 * The doctor of an application runs the health checks of its buffer.
 *
 * @phpstan-type Judged array{
 *     id: string,
 *     layer: string,
 *     status: string,
 *     subject: string,
 *     message: string,
 *     fix: ?array{text: string},
 * }
 */
final class DoctorBufferTest extends ApplicationTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $root = dirname(__DIR__, 2);
        $this->app->config('spool', "array_replace(require '{$root}/config/spool.php', ['buckets' => [
            'x' => ['sink' => 'database', 'table' => 'api_events'],
        ]])");
    }

    #[Test]
    public function an_application_that_buffers_nothing_is_not_judged(): void
    {
        self::assertSame([['B1', 'skipped', ''], ['B2', 'skipped', '']], $this->found(0));
    }

    #[Test]
    public function a_missing_table_fails_until_it_is_there(): void
    {
        $this->app->artisan('app:buffer', '1', 'x');

        [$first, $second] = $this->found(1);
        self::assertSame(['B1', 'fail', 'bucket x, connection sqlite'], $first);
        self::assertSame('B1', $second[0], 'The ledger is missing as well.');

        $this->app->migrate();
        self::assertContains(['B1', 'pass', ''], $this->found(0));
    }

    #[Test]
    public function a_finding_tells_what_spool_health_tells_and_its_layer(): void
    {
        $this->app->artisan('app:buffer', '1', 'x');
        /** @var array{problems: list<array{subject: string, message: string, mend: string, fatal: bool}>} $health */
        $health = json_decode($this->app->artisan('spool:health', '--json')->out, true, flags: JSON_THROW_ON_ERROR);
        $told = [];

        foreach ($health['problems'] as $problem) {
            if ($problem['fatal']) {
                $told[] = ['buffer', $problem['subject'], $problem['message'], $problem['mend']];
            }
        }

        $found = [];

        foreach ($this->findings(1) as $finding) {
            if ($finding['id'] === 'B1') {
                $found[] = [$finding['layer'], $finding['subject'], $finding['message'], $finding['fix']['text'] ?? ''];
            }
        }

        self::assertNotSame([], $told);
        self::assertSame($told, $found);
    }

    /** @return list<array{string, string, string}> id, status and subject */
    private function found(int $exit): array
    {
        return array_map(
            static fn (array $finding): array => [$finding['id'], $finding['status'], $finding['subject']],
            $this->findings($exit),
        );
    }

    /**
     * @return list<Judged>
     */
    private function findings(int $exit): array
    {
        $doctor = $this->app->artisan('headroom:doctor', '--only=B1', '--only=B2', '--json');
        self::assertSame($exit, $doctor->exit, $doctor->all());

        /** @var array{findings: list<Judged>} $read */
        $read = json_decode($doctor->out, true, flags: JSON_THROW_ON_ERROR);

        return $read['findings'];
    }
}
