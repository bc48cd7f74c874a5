<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * docs/install.md says what there is, and no more.
 */
final class InstallGuideTest extends TestCase
{
    private WorkbenchApplication $workbench;

    private string $guide;

    protected function setUp(): void
    {
        $this->workbench = WorkbenchApplication::boot();
        $this->guide = (string) file_get_contents(dirname(__DIR__, 2).'/docs/install.md');
    }

    protected function tearDown(): void
    {
        $this->workbench->shut();
    }

    #[Test]
    public function its_reference_has_the_keys_of_the_configuration(): void
    {
        $config = $this->workbench->config('spool');
        self::assertIsArray($config);
        preg_match_all('/^\| `(\w+)` \|[^|]*\|[^|]*\|[^|]*\|$/m', $this->guide, $documented);

        self::assertEqualsCanonicalizing(array_keys($config), $documented[1]);
    }
}
