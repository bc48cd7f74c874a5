<?php

declare(strict_types=1);

namespace Headroom\Collector\Lane;

use Headroom\Collector\CollectorConfig;
use Headroom\Collector\Intake\IntakeSettings;
use Headroom\Collector\Intake\Schema\Schemas;
use Headroom\Core\InvalidConfig;
use Headroom\Spool\Runtime;

use function array_diff_key;
use function array_filter;
use function array_unique;
use function array_values;
use function get_object_vars;
use function hash;
use function is_array;
use function is_scalar;
use function var_export;

/**
 * The configuration as the lane has it at hand: checked once, when it is compiled, and read by each request as one array
 * that opcache keeps. API keys are not in it: a key that is revoked is refused by the next request.
 *
 * @internal
 *
 * @phpstan-type Data array{version: int, source: string, classes: string, vendor: string, spool: array<array-key, mixed>, modes: array{int, int}, body_bytes: int<0, max>, intake: array<string, mixed>, limits: array<string, int<1, max>>}
 */
final readonly class Compilation
{
    /** Of the file, and of what the front controller expects. */
    public const VERSION = 1;

    /** @param array<string, mixed> $data */
    private function __construct(private array $data) {}

    /** @throws InvalidConfig also for what the lane can not do */
    public static function of(CollectorConfig $config, Runtime $spool): self
    {
        $settings = IntakeSettings::fromOptions($config->intake());
        Schemas::of($settings->schemas);
        $buckets = array_values(array_unique(array_filter([$settings->bucket, (string) $settings->deadBucket], static fn (string $name): bool => $name !== '')));
        $whole = $spool->config();

        foreach ($buckets as $bucket) {
            if ($spool->settings()->isOnRedis($bucket)) {
                throw InvalidConfig::notAllowed("spool.buckets.{$bucket}.store", 'redis', "file: the fast lane loads no Redis client, and writes to this machine's disk. `headroom:collect` and the route of an application write to Redis as well");
            }

            // A level that is none would be found by the first request.
            $spool->settings()->isPower($bucket);
        }

        $intake = array_diff_key(get_object_vars($settings), ['limits' => 1]);
        self::plain($intake, 'collector.intake');

        return new self([
            'version' => self::VERSION,
            'spool' => $spool->settings()->forWriting($buckets),
            'modes' => [$whole->directoryMode(), $whole->fileMode()],
            'body_bytes' => $config->limits()->bodyBytes,
            'intake' => $intake,
            'limits' => get_object_vars($settings->limits),
        ]);
    }

    /**
     * @param string $root expression of PHP: the directory of this package's classes
     * @param string $vendor expression of PHP: Composer's autoloader, for classes of others
     */
    public function text(string $root, string $vendor): string
    {
        $data = var_export($this->data, true);
        $mark = hash('xxh128', "{$root}\0{$vendor}\0{$data}");

        return "<?php\n\n// headroom:lane Compiled from the configuration; `headroom:lane` writes it anew.\n\nreturn ['source' => '{$mark}', 'classes' => {$root}, 'vendor' => {$vendor}] + {$data};\n";
    }

    private static function plain(mixed $value, string $key): void
    {
        if (is_array($value)) {
            foreach ($value as $name => $member) {
                self::plain($member, "{$key}.{$name}");
            }
        } elseif (! is_scalar($value) && $value !== null) {
            throw InvalidConfig::notAllowed($key, $value, 'of texts, numbers and lists of them, as a cached configuration has');
        }
    }
}
