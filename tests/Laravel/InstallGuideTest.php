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

    #[Test]
    public function its_table_of_commands_has_their_options(): void
    {
        preg_match_all('/^\| `(spool:\w+)(?: \[bucket(?:\.\.\.)?\])?` \| (.*?) \| .* \|$/m', $this->guide, $rows, PREG_SET_ORDER);
        $documented = [];

        foreach ($rows as $row) {
            preg_match_all('/--([a-z-]+)/', $row[2], $options);
            $documented[$row[1]] = $options[1];
        }

        $commands = [];

        foreach (['spool:install', 'spool:flush', 'spool:work', 'spool:status', 'spool:clean', 'spool:health', 'spool:restart', 'spool:pause', 'spool:resume', 'spool:unit'] as $name) {
            $help = json_decode($this->workbench->artisan('help', ['command_name' => $name, '--format' => 'json']), true, flags: JSON_THROW_ON_ERROR);
            $definition = is_array($help) ? $help['definition'] ?? null : null;
            $options = is_array($definition) ? $definition['options'] ?? null : null;
            self::assertIsArray($options);
            $general = ['help', 'silent', 'quiet', 'version', 'ansi', 'no-ansi', 'no-interaction', 'env', 'verbose'];
            $commands[$name] = array_values(array_diff(array_map(strval(...), array_keys($options)), $general));
        }

        self::assertEquals($commands, $documented);
    }
}
