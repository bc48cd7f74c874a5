<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * Makes the sink of a bucket from its settings.
 */
/**
 * Makes the sink of a bucket from its settings.
 */
interface SinkFactory
{
    /**
     * Connects to nothing: the sink connects at its first delivery.
     *
     * @param string $kind the bucket's `sink` setting
     * @param ConfigReader $options the other settings of the bucket
     *
     * @throws InvalidConfig
     */
    public function make(string $kind, ConfigReader $options): Sink;
}
