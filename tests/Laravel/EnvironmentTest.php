<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Spool\AppendConfig;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A variable in .env that has a name and no value.
 */
final class EnvironmentTest extends TestCase
{
    private const CONFIG = __DIR__.'/../../config/spool.php';

    /** @return iterable<string, array{string}> */
    public static function variables(): iterable
    {
        preg_match_all("/env\\('(SPOOL_\\w+)'/", (string) file_get_contents(self::CONFIG), $found);

        foreach (array_unique($found[1]) as $variable) {
            yield $variable => [$variable];
        }
    }

    #[Test]
    #[DataProvider('variables')]
    public function an_empty_variable_is_one_that_is_not_set(string $variable): void
    {
        $expected = $this->read([$variable => null]);

        // PHPUnit makes an empty one of <env name="SPOOL_ENABLED" value="false"/>.
        self::assertSame(
            $variable === 'SPOOL_ENABLED' ? [...$expected, 'enabled' => false] : $expected,
            $this->read([$variable => '']),
        );
    }

    #[Test]
    public function all_of_them_may_be_empty_at_once(): void
    {
        $names = array_keys(iterator_to_array(self::variables()));
        self::assertCount(11, $names);

        self::assertSame([...$this->read([]), 'enabled' => false], $this->read(array_fill_keys($names, '')));
    }

    /**
     * As an application has it that has published the package's file.
     *
     * @param array<string, ?string> $variables
     * @return array<string, mixed>
     */
    private function read(array $variables): array
    {
        $workbench = WorkbenchApplication::boot(array_filter($variables, is_string(...)));

        try {
            $values = require self::CONFIG;
            self::assertIsArray($values);
            $settings = AppendConfig::fromArray($values);
            $config = $settings->whole();
            $config->check();

            return [
                'path' => str_replace($workbench->storage, '', $config->path),
                'network' => $config->allowNetworkFilesystem(),
                'modes' => [$config->directoryMode(), $config->fileMode()],
                'min_free_bytes' => $config->minFreeBytes(),
                'redis' => [$config->isOnRedis('any'), $config->redis()->connection],
                'schedule' => $config->schedule(),
                'enabled' => $config->enabled(),
                'autoflush' => [$config->autoflush(), $settings->isAutoflushed()],
                'heartbeats' => $config->heartbeats(),
            ];
        } finally {
            $workbench->shut();
        }
    }
}
