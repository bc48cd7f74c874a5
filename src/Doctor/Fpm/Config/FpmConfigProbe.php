<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Config;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\ExternalProgram;

/**
 * The configuration of a PHP-FPM: printed by its own program, or read from its files if the program does not answer.
 *
 * @internal
 */
final readonly class FpmConfigProbe
{
    public function __construct(private ExternalProgram $programs = new ExternalProgram) {}

    /**
     * A change of the files since the start is included, although FPM has not loaded it yet.
     *
     * @param ?string $whyNotEffective set to the reason if the values are those of the files alone,
     *     without FPM's defaults
     *
     * @param-out ?string $whyNotEffective
     *
     * @throws FactUnavailable if neither works
     */
    public function of(RunningMaster $master, ?string &$whyNotEffective = null): FpmConfig
    {
        $whyNotEffective = null;

        try {
            $effective = $master->checked($this->dump($master->program(), $master->file()));
        } catch (FactUnavailable $e) {
            $whyNotEffective = $e->getMessage();

            return $master->writtenConfig();
        }

        try {
            return $effective->locatedBy($master->writtenConfig());
        } catch (FactUnavailable) {
            return $effective;
        }
    }

    /** @throws FactUnavailable */
    public function dump(string $program, string $configFile): FpmConfig
    {
        $command = escapeshellarg($program).' -tt -y '.escapeshellarg($configFile);
        // php-fpm -tt starts PHP. It would run the application's preload script, and fail if that script fails.
        $ended = $this->programs->run([$program, '-d', 'opcache.preload=', '-tt', '-y', $configFile], $command);

        return $ended->code === 0
            ? FpmDump::parse($ended->errors, $command)
            : throw UnreadableConfig::failed($command, $ended->code, $ended->errors);
    }
}
