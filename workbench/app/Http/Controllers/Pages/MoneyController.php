<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers\Pages;

use Illuminate\Http\JsonResponse;
use Workbench\App\Legacy\Money;
use Workbench\App\Pricing\Amount;

/**
 * Makes a class by its old name and takes it by its new one, which is there because the old one was loaded.
 */
final class MoneyController
{
    public function __invoke(): JsonResponse
    {
        return new JsonResponse(['price' => $this->shown(new Money(1995))]);
    }

    private function shown(Amount $amount): string
    {
        return $amount->text();
    }
}
