<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Config;

use Headroom\Doctor\FactUnavailable;
use Headroom\Process\ShieldedCommand;
use Symfony\Component\Process\Exception\ProcessTimedOutException;
use Symfony\Component\Process\Process;

/**
 * What a PHP-FPM is told to do: asked of its own program, or read from its files where that does not answer.
 *
 * @internal
 */
final readonly class FpmConfigProbe
{
    /** @param int $seconds that it may take: the program loads its extensions, reads some files and ends */
    public function __construct(private int $seconds = 5) {}

    /**
     * A change of the files since the start is in it, though FPM does not know it yet.
     *
     * @param ?string $whyNotEffective takes why the values are those of the files alone, without FPM's defaults
     *
     * @param-out ?string $whyNotEffective
     *
     * @throws FactUnavailable when neither works
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
        // It would start PHP with all that belongs to it: run the application's preload script,
        // and fail where that does.
        $process = new Process(
            [$program, '-d', 'opcache.preload=', '-tt', '-y', $configFile],
            null,
            ['LC_ALL' => 'C'],
            null,
            $this->seconds,
        );

        try {
            $code = ShieldedCommand::run($process);
        } catch (ProcessTimedOutException) {
            throw UnreadableConfig::tookTooLong($command, $this->seconds);
        }

        return $code === 0
            ? FpmDump::parse($process->getErrorOutput(), $command)
            : throw UnreadableConfig::failed($command, $code, $process->getErrorOutput());
    }
}
