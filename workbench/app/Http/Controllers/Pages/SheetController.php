<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers\Pages;

use Illuminate\Http\JsonResponse;
use Sheets\Contracts\FromRows;
use Workbench\App\Sheets\PriceList;

/**
 * Offers a spreadsheet where the package for it is installed.
 */
final class SheetController
{
    public function __invoke(): JsonResponse
    {
        return new JsonResponse(
            interface_exists(FromRows::class)
                ? ['sheet' => (new PriceList)->rows()]
                : ['sheet' => null, 'formats' => ['csv']],
        );
    }
}
