<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Fpm;

use Headroom\Doctor\Fpm\Config\RunningMaster;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\FpmProbe;
use Headroom\Host\Fpm\FastCgiClient;
use Headroom\Tests\Acceptance\Host\Needs;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Two PHP-FPMs on one machine: who says that one of them is to be reloaded has to know which.
 */
final class ServedApplicationTest extends TestCase
{
    /** @var list<Pools> */
    private array $running = [];

    protected function setUp(): void
    {
        Needs::webStack();
    }

    protected function tearDown(): void
    {
        array_map(static fn (Pools $pools) => $pools->stop(), $this->running);
    }

    #[Test, Group('day-3')]
    public function a_pool_serves_an_application_also_by_a_link(): void
    {
        [$one, $other] = [$this->start(), $this->start()];
        $other->write('index.php', '<?php echo "served";');
        $link = $one->directory->file('current');
        symlink($other->directory->path, $link);
        self::assertNull($this->facts()->serving("{$other->directory->path}/"), 'It has had no request yet.');

        (new FastCgiClient)->get($other->at('www'), "{$link}/index.php");

        self::assertSame($other->pid(), $this->facts()->serving($other->directory->path)?->master->pid);
        self::assertNull($this->facts()->serving($one->directory->path));
    }

    #[Test, Group('day-2')]
    public function a_directory_whose_name_only_begins_alike_is_another_application(): void
    {
        [, $other] = [$this->start(), $this->start()];
        mkdir($other->directory->file('shop2'), 0o755);
        mkdir($other->directory->file('shop'), 0o755);
        (new FastCgiClient)->get($other->at('www'), $other->write('shop2/index.php', '<?php echo "served";'));

        self::assertNull($this->facts()->serving($other->directory->file('shop')));
        self::assertNotNull($this->facts()->serving($other->directory->file('shop2')));
    }

    #[Test]
    public function the_only_php_fpm_serves_every_application(): void
    {
        $only = $this->start();

        self::assertSame($only->pid(), $this->facts()->serving('/nowhere')?->master->pid);
    }

    private function start(): Pools
    {
        return $this->running[] = Pools::start(['www' => ['pm.status_listen' => '%dir%/status.sock']]);
    }

    /** Of those that this test started. */
    private function facts(): FpmPools
    {
        $pids = array_map(static fn (Pools $pools): int => $pools->pid(), $this->running);

        return (new FpmProbe)->facts(array_values(array_filter(
            RunningMaster::all(),
            static fn (RunningMaster $master): bool => in_array($master->pid, $pids, true),
        )));
    }
}
