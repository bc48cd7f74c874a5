<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

interface SinkFactory
{
    /**
     * Opens nothing: a connection is made when the first delivery needs it.
     *
     * @param string $kind what the bucket's `sink` setting says
     * @param ConfigReader $options the rest of the bucket's settings
     *
     * @throws InvalidConfig
     */
    public function make(string $kind, ConfigReader $options): Sink;
}
